import { api } from '../../api-client.js';
import type { EmailWithTimeline, TimelineEntry, TrackedEmail } from '../../api-shapes.js';
import { formatWords } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { Badge } from '../../parts/badge.js';
import { CopyButton } from '../../parts/copy-button.js';
import { DataTable } from '../../parts/data-table.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page, Section } from '../../parts/page.js';
import { Time } from '../../parts/time.js';
import { shownResult } from './messages-page.js';
import { useService } from './service-frame.js';

export const MessagePage = ({ emailId }: { readonly emailId: string }) => {
  const path = `${useService().path}/emails/${emailId}`;
  const message = useLoading<EmailWithTimeline>(signal => api.get(path, {}, signal), [path]);
  return (
    <Page
      title="Message"
      actions={
        <button type="button" disabled={message.busy} onClick={message.reload}>
          Refresh
        </button>
      }
    >
      <Loaded of={message}>
        {email => (
          <>
            <Envelope email={email} />
            <Recipients of={email.recipients} />
            <Timeline entries={email.timeline} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

/** What a result means where its name does not say it. */
const EXPLAINED: Readonly<Partial<Record<ReturnType<typeof shownResult>, string>>> = {
  unknown: 'The connection or the process ended before the relay answered. The message is never sent again by itself.',
  retry_requested: 'Nothing was sent. The client was asked to try again, and a retry is a message of its own.',
};

const Envelope = ({ email }: { readonly email: EmailWithTimeline }) => (
  <Section title={email.subject || '(no subject)'}>
    <dl class="record">
      <dt>Status</dt>
      <dd>
        <Badge status={shownResult(email)} />
        {EXPLAINED[shownResult(email)] && <p class="hint">{EXPLAINED[shownResult(email)]}</p>}
      </dd>
      <dt>Mode</dt>
      <dd>{formatWords(email.mode)}</dd>
      <dt>From</dt>
      <dd class="long">{email.from}</dd>
      <dt>Accepted</dt>
      <dd>
        <Time at={email.accepted_at} />
      </dd>
      <dt>Id</dt>
      <dd class="copy-line">
        <code>{email.id}</code>
        <CopyButton text={email.id} what="the id of the message" />
      </dd>
    </dl>
  </Section>
);

const Recipients = ({ of }: { readonly of: TrackedEmail['recipients'] }) => (
  <Section title="Recipients">
    <DataTable
      caption="Recipients of the message"
      rows={of}
      keyOf={recipient => String(recipient.index)}
      columns={[
        {
          title: 'Address',
          cell: recipient => (
            <span class="long">
              <strong>{recipient.address}</strong> <small class="hint">{recipient.role}</small>
            </span>
          ),
        },
        {
          title: 'State',
          cell: recipient => (
            <>
              <Badge status={recipient.state} />
              {recipient.reason && <p class="hint long">{recipient.reason}</p>}
            </>
          ),
        },
        { title: 'Opened', cell: recipient => <Time at={recipient.opened_at} /> },
        { title: 'Clicked', cell: recipient => <Time at={recipient.clicked_at} /> },
      ]}
    />
  </Section>
);

const Timeline = ({ entries }: { readonly entries: readonly TimelineEntry[] }) => (
  <Section title="Timeline">
    {entries.length === 0 ? (
      <Empty>Nothing has happened yet.</Empty>
    ) : (
      <ol class="history">
        {entries.map((entry, index) => (
          <li key={`${entry.at} ${entry.kind} ${index}`}>
            <Time at={entry.at} />
            <span class="long">
              <strong>{formatWords(entry.kind)}</strong> {entry.recipient}
              {entry.detail && <span class="hint">{entry.detail}</span>}
            </span>
          </li>
        ))}
      </ol>
    )}
  </Section>
);
