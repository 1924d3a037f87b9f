import type { EmailWithTimeline, TimelineEntry, TrackedEmail } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Badge } from '../../components/badge.js';
import { CopyButton } from '../../components/copy-button.js';
import { DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { formatClock, formatDate, formatExactTime, formatLabel } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { addressesByRole } from './addresses-by-role.js';
import { ContentSection } from './content-section.js';
import { MessageDeliveries } from './message-deliveries.js';
import { displayStatus } from './messages-page.js';
import { SendAgain } from './send-again.js';
import { useService } from './service-layout.js';
import { WrongClassification } from './wrong-classification.js';

export const MessagePage = ({ emailId }: { readonly emailId: string }) => {
  const { path: service, page } = useService();
  const path = `${service}/emails/${emailId}`;
  const message = useLoading<EmailWithTimeline>(signal => api.get(path, {}, signal), [path]);
  useLive(message, service.slice(1));
  return (
    <Page title="Message">
      <Loaded of={message}>
        {email => (
          <>
            <Envelope email={email} />
            <ContentSection path={path} />
            <SendAgain key={path} email={email} path={path} page={page} />
            <Recipients email={email} service={service} onCorrected={message.reload} />
            <Timeline entries={email.timeline} />
            <MessageDeliveries path={path} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

/** Explanations of statuses that are not clear from their label. */
const EXPLANATIONS: Readonly<Partial<Record<ReturnType<typeof displayStatus>, string>>> = {
  unknown: 'The connection or a process ended before the relay responded. Postern does not send the message again.',
  retry_requested: 'Nothing was sent. The client was asked to retry; a retry appears as a separate message.',
};

const Envelope = ({ email }: { readonly email: EmailWithTimeline }) => {
  const { page } = useService();
  return (
    <Section title={email.subject || '(no subject)'}>
      <dl class="record">
        <dt>Status</dt>
        <dd>
          <Badge status={displayStatus(email)} />
          {EXPLANATIONS[displayStatus(email)] && <p class="hint">{EXPLANATIONS[displayStatus(email)]}</p>}
        </dd>
        <dt>Mode</dt>
        <dd>
          {formatLabel(email.mode)}
          {email.mode === 'sandbox_fallback' && (
            <p class="hint">
              The domain of the sender is not verified, so the message was sent from the sandbox sender. Verify the
              domain to send from it.
            </p>
          )}
        </dd>
        <dt>From</dt>
        <dd class="long">{email.from}</dd>
        {addressesByRole(email.recipients).map(([role, addresses]) => [
          <dt key={role}>{formatLabel(role)}</dt>,
          <dd key={`${role} addresses`} class="long">
            {addresses.join(', ')}
          </dd>,
        ])}
        <dt>Accepted</dt>
        <dd>
          <Time at={email.accepted_at} />
        </dd>
        {email.message_id && (
          <>
            <dt>Message-ID</dt>
            <dd class="long">
              <code>{email.message_id}</code>
            </dd>
          </>
        )}
        {email.tags && (
          <>
            <dt>Tags</dt>
            <dd class="long">
              {Object.entries(email.tags).map(([name, value]) => (
                <p key={name}>
                  <Link to={`${page}/messages?tag=${encodeURIComponent(`${name}:${value}`)}`}>
                    {name}: {value}
                  </Link>
                </p>
              ))}
            </dd>
          </>
        )}
        <dt>ID</dt>
        <dd class="copy-line">
          <code>{email.id}</code>
          <CopyButton text={email.id} what="the message ID" />
        </dd>
      </dl>
    </Section>
  );
};

interface RecipientsProps {
  readonly email: TrackedEmail;
  /** Path of the email service in the API. */
  readonly service: string;
  readonly onCorrected: () => void;
}

const Recipients = ({ email, service, onCorrected }: RecipientsProps) => (
  <Section title="Recipients">
    <DataTable
      caption="Recipients of the message"
      rows={email.recipients}
      keyOf={recipient => String(recipient.index)}
      columns={[
        {
          title: 'Address',
          cell: recipient => (
            <span class="long">
              <strong>{recipient.address}</strong> <small class="hint">{formatLabel(recipient.role)}</small>
            </span>
          ),
        },
        {
          title: 'Status',
          cell: recipient => (
            <>
              <Badge status={recipient.state} />
              {recipient.reason && <p class="hint long">{recipient.reason}</p>}
              {canCorrect(recipient) && (
                <WrongClassification
                  recipient={recipient}
                  emailId={email.id}
                  service={service}
                  onCorrected={onCorrected}
                />
              )}
            </>
          ),
        },
        { title: 'Opened', cell: recipient => <Time at={recipient.opened_at} /> },
        { title: 'Clicked', cell: recipient => <Time at={recipient.clicked_at} /> },
      ]}
    />
  </Section>
);

/** A bounce by the suppression list has no reply of a server. */
const canCorrect = ({ state, reason }: TrackedEmail['recipients'][number]): boolean =>
  state === 'bounced' && reason !== null && !reason.startsWith('suppressed');

const Timeline = ({ entries }: { readonly entries: readonly TimelineEntry[] }) => (
  <Section title="Timeline">
    {entries.length === 0 ? (
      <EmptyState>No events yet.</EmptyState>
    ) : (
      <ol class="history">
        {entries.map((entry, index) => (
          <li key={`${entry.at} ${entry.kind} ${index}`}>
            <TimelineTime at={entry.at} before={entries[index - 1]?.at} />
            <span class="long">
              <strong>{formatLabel(entry.kind)}</strong> {entry.recipient}
              {entry.detail && <span class="hint">{entry.detail}</span>}
              {entry.advice && <span class="hint">{entry.advice}</span>}
            </span>
          </li>
        ))}
      </ol>
    )}
  </Section>
);

/** The date is shown once for the entries of a day, and milliseconds tell the order within a second. */
const TimelineTime = ({ at, before }: { readonly at: string; readonly before: string | undefined }) =>
  before !== undefined && formatDate(before) === formatDate(at) ? (
    <time dateTime={at} title={formatExactTime(at)}>
      {formatClock(at)}
    </time>
  ) : (
    <time dateTime={at} title={formatExactTime(at)}>
      {formatDate(at)}, {formatClock(at)}
    </time>
  );
