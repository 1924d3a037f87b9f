import type { Delivery, OutcomeKind, Webhook } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { Choice, EditForm, Field, Switch, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { Page, Section } from '../../components/page.js';
import { asSentence, formatLabel } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { navigate } from '../../router.js';
import { DeliveriesSection } from './deliveries-section.js';
import { EventKinds, KINDS } from './event-kinds.js';
import { PacingFields, pacingOf } from './pacing-fields.js';
import { useService } from './service-layout.js';
import { WebhookSecret } from './webhook-secret.js';
import { WebhookResults, WebhookStatus } from './webhooks-page.js';

export const WebhookPage = ({ webhookId }: { readonly webhookId: string }) => {
  const { path: service, page } = useService();
  const path = `${service}/webhooks/${webhookId}`;
  const loading = useLoading<Webhook>(signal => api.get(path, {}, signal), [path]);
  useLive(loading, service.slice(1));
  const [newest, setNewest] = useState<Delivery>();
  const remove = async () => {
    await api.delete(path);
    navigate(`${page}/webhooks`, { replace: true });
  };
  return (
    <Page
      title="Webhook"
      actions={
        <ConfirmButton
          question="Delete this webhook?"
          consequence="It stops receiving events immediately, and you can no longer see or replay its deliveries."
          confirm="Delete webhook"
          work={remove}
        >
          Delete
        </ConfirmButton>
      }
    >
      <Loaded of={loading}>
        {webhook => (
          <>
            <p class="long">
              <code>{webhook.url}</code>
            </p>
            <p>
              <WebhookStatus webhook={webhook} /> <WebhookResults webhook={webhook} />
            </p>
            <Configuration webhook={webhook} path={path} onChanged={loading.replace} />
            <TestEvent path={path} onSent={setNewest} />
            <DeliveriesSection path={path} newest={newest?.id ?? ''} />
            <WebhookSecret webhook={webhook} path={path} onChanged={loading.replace} onRotated={loading.reload} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

interface ConfigurationProps {
  readonly webhook: Webhook;
  readonly path: string;
  readonly onChanged: (webhook: Webhook) => void;
}

const Configuration = ({ webhook, path, onChanged }: ConfigurationProps) => {
  const [kinds, setKinds] = useState([...webhook.events]);
  const enable = useAction(async (enabled: boolean) => onChanged(await api.patch<Webhook>(path, { enabled })));
  const save = useAction(async ({ url, ...pacing }: Values) => {
    const changes = { ...(url === webhook.url ? {} : { url }), events: kinds, ...pacingOf(pacing) };
    onChanged(await api.patch<Webhook>(path, changes));
  });
  return (
    <Section title="Configuration">
      {webhook.disabled_reason && <Notice kind="warning">{asSentence(`Disabled: ${webhook.disabled_reason}`)}</Notice>}
      <Switch
        label="Enabled"
        about="While disabled, events are stored and can be replayed later."
        on={webhook.enabled}
        busy={enable.busy}
        onSwitch={enable.run}
      />
      <ErrorNotice error={enable.error} />
      <EditForm action={save}>
        <Field label="URL" name="url" type="url" required maxLength={2048} defaultValue={webhook.url} />
        <EventKinds chosen={kinds} onChange={setKinds} />
        <PacingFields webhook={webhook} />
      </EditForm>
    </Section>
  );
};

interface TestEventProps {
  readonly path: string;
  readonly onSent: (delivery: Delivery) => void;
}

const TestEvent = ({ path, onSent }: TestEventProps) => {
  const [kind, setKind] = useState<string>(KINDS[0] ?? '');
  const send = async () => onSent(await api.post<Delivery>(`${path}/test`, { event: kind as OutcomeKind }));
  return (
    <Section
      title="Test event"
      about={
        <>
          Sends a sample event with <code>"test": true</code> in its data.
        </>
      }
    >
      <div class="line">
        <Choice
          label="Event"
          value={kind}
          options={KINDS.map(option => [option, formatLabel(option)])}
          onChoice={setKind}
        />
        <ActionButton work={send}>Send test event</ActionButton>
      </div>
    </Section>
  );
};
