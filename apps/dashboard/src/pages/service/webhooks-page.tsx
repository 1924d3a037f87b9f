import type { CreatedWebhook, Webhook, WebhookHealth } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Badge, Tag } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { CollapsibleSection, EmptyState, Page, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { formatCount, formatLabel } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { EventKinds, KINDS } from './event-kinds.js';
import { PacingFields, pacingOf } from './pacing-fields.js';
import { useService } from './service-layout.js';
import { VerificationSnippet } from './snippets.js';

export const WebhooksPage = () => {
  const { path: service, page } = useService();
  const path = `${service}/webhooks`;
  const webhooks = useLoading<Webhook[]>(signal => api.get(path, {}, signal), [path]);
  const [kinds, setKinds] = useState([...KINDS]);
  const [created, setCreated] = useState<CreatedWebhook>();
  const create = useAction(async ({ url, ...pacing }: Values) => {
    setCreated(await api.post<CreatedWebhook>(path, { url, events: kinds, ...pacingOf(pacing) }));
    webhooks.reload();
  });
  return (
    <Page title="Webhooks">
      {created && (
        <OneTimeSecret
          title={`Signing secret of ${created.url}`}
          secret={created.secret}
          what="the signing secret"
          onSaved={() => setCreated(undefined)}
        />
      )}
      <CollapsibleSection
        title="New webhook"
        open={webhooks.value?.length === 0}
        about="Postern sends each event to the URL as a JSON POST request, signed with the secret of the webhook."
      >
        <Form action={create} submit="Create webhook">
          <Field
            label="URL"
            name="url"
            type="url"
            required
            maxLength={2048}
            placeholder="https://example.com/webhooks/mail"
            autocomplete="off"
          />
          <EventKinds chosen={kinds} onChange={setKinds} />
          <PacingFields />
        </Form>
      </CollapsibleSection>
      <Loaded of={webhooks}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No webhooks yet. Create one above to receive delivery events.</EmptyState>
          ) : (
            <DataTable
              caption="Webhooks"
              rows={list}
              keyOf={webhook => webhook.id}
              columns={[
                {
                  title: 'URL',
                  cell: webhook => (
                    <Link to={`${page}/webhooks/${webhook.id}`} class="long">
                      {webhook.url}
                    </Link>
                  ),
                },
                { title: 'Events', cell: webhook => webhook.events.map(formatLabel).join(', ') },
                { title: 'Status', cell: webhook => <WebhookStatus webhook={webhook} /> },
                { title: 'Last 24 hours', cell: webhook => <WebhookResults webhook={webhook} /> },
                { title: 'Created', cell: webhook => <Time at={webhook.created_at} /> },
              ]}
            />
          )
        }
      </Loaded>
      <Section
        title="Verify signatures"
        about="Verify the signature of every request before you trust it, and respond with 401 if it is invalid."
      >
        <VerificationSnippet />
      </Section>
    </Page>
  );
};

export const WebhookStatus = ({ webhook }: { readonly webhook: Webhook }) => (
  <>
    {webhook.enabled ? <EnabledStatus state={webhook.health?.state} /> : <Badge status="disabled" />}
    {webhook.disabled_reason && <span class="hint"> {webhook.disabled_reason}</span>}
  </>
);

const EnabledStatus = ({ state }: { readonly state: WebhookHealth['state'] | undefined }) => {
  if (state === 'failing') return <Tag tone="bad">Failing</Tag>;
  if (state === 'degraded') return <Tag tone="warning">Some events failed</Tag>;
  return <Badge status="enabled" />;
};

/** How many events were accepted, the last answer, and the next try. */
export const WebhookResults = ({ webhook: { health } }: { readonly webhook: Webhook }) => {
  if (!health?.last_attempt) return <span class="hint">No events yet</span>;
  const { attempted_24h, failed_24h, last_attempt, next_attempt_at } = health;
  return (
    <>
      {attempted_24h > 0 && `${formatCount(attempted_24h - failed_24h)} of ${formatCount(attempted_24h)} accepted. `}
      Last answer: {last_attempt.error ?? `status ${last_attempt.status}`}, <Time at={last_attempt.at} />.
      {next_attempt_at !== null && (
        <>
          {' '}
          Next try: <Time at={next_attempt_at} />.
        </>
      )}
    </>
  );
};
