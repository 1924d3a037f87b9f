import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { Delivery, OutcomeKind, Webhook } from '../../api-shapes.js';
import { asSentence, formatWords } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { ActionButton, ConfirmButton } from '../../parts/action-button.js';
import { Choice, Field, Form, Switch, type Values } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { ErrorNotice, Notice } from '../../parts/notice.js';
import { Page, Section } from '../../parts/page.js';
import { goTo } from '../../router.js';
import { DeliveriesSection } from './deliveries-section.js';
import { EventKinds, KINDS } from './event-kinds.js';
import { useService } from './service-frame.js';
import { WebhookSecret } from './webhook-secret.js';

export const WebhookPage = ({ webhookId }: { readonly webhookId: string }) => {
  const { path: service, page } = useService();
  const path = `${service}/webhooks/${webhookId}`;
  const loading = useLoading<Webhook>(signal => api.get(path, {}, signal), [path]);
  const [newest, setNewest] = useState<Delivery>();
  const remove = async () => {
    await api.delete(path);
    goTo(`${page}/webhooks`, { replace: true });
  };
  return (
    <Page
      title="Webhook"
      actions={
        <ConfirmButton
          question="Remove this webhook?"
          consequence="It gets no event from this moment on, and its deliveries can no longer be seen or replayed."
          confirm="Remove the webhook"
          work={remove}
        >
          Remove
        </ConfirmButton>
      }
    >
      <Loaded of={loading}>
        {webhook => (
          <>
            <p class="long">
              <code>{webhook.url}</code>
            </p>
            <Receiving webhook={webhook} path={path} onChanged={loading.replace} />
            <TestEvent path={path} onSent={setNewest} />
            <DeliveriesSection path={path} newest={newest?.id ?? ''} />
            <WebhookSecret webhook={webhook} path={path} onChanged={loading.replace} onRotated={loading.reload} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

interface ReceivingProps {
  readonly webhook: Webhook;
  readonly path: string;
  readonly onChanged: (webhook: Webhook) => void;
}

const Receiving = ({ webhook, path, onChanged }: ReceivingProps) => {
  const [kinds, setKinds] = useState([...webhook.events]);
  const enable = useAction(async (enabled: boolean) => onChanged(await api.patch<Webhook>(path, { enabled })));
  const save = useAction(async ({ url }: Values) =>
    onChanged(await api.patch<Webhook>(path, { ...(url === webhook.url ? {} : { url }), events: kinds })),
  );
  return (
    <Section title="What it receives">
      {webhook.disabled_reason && <Notice kind="warning">{asSentence(`Disabled: ${webhook.disabled_reason}`)}</Notice>}
      <Switch
        label="Enabled"
        about="While it is off, events are kept and can be replayed."
        on={webhook.enabled}
        busy={enable.busy}
        onSwitch={enable.run}
      />
      <ErrorNotice error={enable.error} />
      <Form action={save} submit="Save" keeps>
        <Field label="URL" name="url" type="url" required maxLength={2048} defaultValue={webhook.url} />
        <EventKinds chosen={kinds} onChange={setKinds} />
      </Form>
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
    <Section title="Test event" about="Sends a made-up event now; its data says that it is a test.">
      <div class="line">
        <Choice
          label="Kind"
          value={kind}
          options={KINDS.map(option => [option, formatWords(option)])}
          onChoice={setKind}
        />
        <ActionButton work={send}>Send a test event</ActionButton>
      </div>
    </Section>
  );
};
