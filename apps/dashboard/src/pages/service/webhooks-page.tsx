import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { CreatedWebhook, Webhook } from '../../api-shapes.js';
import { formatWords } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { Badge } from '../../parts/badge.js';
import { DataTable } from '../../parts/data-table.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page, Section } from '../../parts/page.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { Time } from '../../parts/time.js';
import { Link } from '../../router.js';
import { EventKinds, KINDS } from './event-kinds.js';
import { useService } from './service-frame.js';

export const WebhooksPage = () => {
  const { path: service, page } = useService();
  const path = `${service}/webhooks`;
  const webhooks = useLoading<Webhook[]>(signal => api.get(path, {}, signal), [path]);
  const [kinds, setKinds] = useState([...KINDS]);
  const [created, setCreated] = useState<CreatedWebhook>();
  const create = useAction(async ({ url }: Values) => {
    setCreated(await api.post<CreatedWebhook>(path, { url, events: kinds }));
    webhooks.reload();
  });
  return (
    <Page title="Webhooks">
      {created && (
        <SecretOnce
          title={`The signing secret of ${created.url}`}
          secret={created.secret}
          what="the signing secret"
          onStored={() => setCreated(undefined)}
        />
      )}
      <Loaded of={webhooks}>
        {list =>
          list.length === 0 ? (
            <Empty>No webhook yet: nobody is told what becomes of the messages.</Empty>
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
                { title: 'Events', cell: webhook => webhook.events.map(formatWords).join(', ') },
                { title: 'State', cell: webhook => <WebhookState webhook={webhook} /> },
                { title: 'Created', cell: webhook => <Time at={webhook.created_at} /> },
              ]}
            />
          )
        }
      </Loaded>
      <Section title="New webhook" about="Every event is posted to the URL as JSON, signed with a secret of its own.">
        <Form action={create} submit="Create">
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
        </Form>
      </Section>
    </Page>
  );
};

export const WebhookState = ({ webhook }: { readonly webhook: Webhook }) => (
  <>
    <Badge status={webhook.enabled ? 'enabled' : 'disabled'} />
    {webhook.disabled_reason && <p class="hint">{webhook.disabled_reason}</p>}
  </>
);
