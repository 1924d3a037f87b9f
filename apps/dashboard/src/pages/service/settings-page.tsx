import type { ApiKey, EmailService, EmailServiceChanges, SendingDomain, Webhook } from '@postern/contracts';
import { api } from '../../api-client.js';
import { CopyButton } from '../../components/copy-button.js';
import { DangerZone } from '../../components/danger-zone.js';
import { EditForm, Field, Switch, type Values } from '../../components/form.js';
import { ErrorNotice } from '../../components/notice.js';
import { Page, Section } from '../../components/page.js';
import { counted } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { navigate } from '../../router.js';
import { BounceRulesSection } from './bounce-rules-section.js';
import { useService } from './service-layout.js';

const OPTIONS = {
  enabled: ['Enabled', 'When disabled, the service rejects every send request.'],
  open_tracking: [
    'Open tracking',
    'Adds an invisible image to HTML messages so opens can be tracked for each recipient.',
  ],
  click_tracking: ['Click tracking', 'Rewrites links in HTML messages so clicks can be tracked for each recipient.'],
  suppression: ['Suppression', 'Does not send to addresses on the suppression list (hard bounces and complaints).'],
} as const;

export const SettingsPage = () => {
  const { service, path, changed } = useService();
  const change = async (changes: EmailServiceChanges) => changed(await api.patch<EmailService>(path, changes));
  const rename = useAction(({ name = '' }: Values) => change({ name }));
  const toggle = useAction(change);
  return (
    <Page title="Settings">
      <Section title="Name">
        <EditForm action={rename} saved="Name saved." class="line">
          <Field label="Name" name="name" required maxLength={100} defaultValue={service.name} autocomplete="off" />
        </EditForm>
      </Section>
      <Section title="Options" about="Changes take effect immediately and apply to new messages.">
        <ErrorNotice error={toggle.error} />
        {(Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]).map(name => (
          <Switch
            key={name}
            label={OPTIONS[name][0]}
            about={OPTIONS[name][1]}
            on={service[name]}
            busy={toggle.busy}
            onSwitch={on => toggle.run({ [name]: on })}
          />
        ))}
      </Section>
      <BounceRulesSection service={path} />
      <Section title="Service ID">
        <p class="copy-line">
          <code>{service.id}</code>
          <CopyButton text={service.id} what="the service ID" />
        </p>
      </Section>
      <Deletion />
    </Page>
  );
};

const Deletion = () => {
  const { service, path } = useService();
  const keys = useLoading<ApiKey[]>(signal => api.get(`${path}/api-keys`, {}, signal), [path]);
  const domains = useLoading<SendingDomain[]>(signal => api.get(`${path}/domains`, {}, signal), [path]);
  const webhooks = useLoading<Webhook[]>(signal => api.get(`${path}/webhooks`, {}, signal), [path]);
  const remove = async () => {
    await api.delete(path);
    navigate('/email-services');
  };
  const goes = [
    `${counted(keys.value?.length ?? 0, 'API key')}: applications that use them stop working immediately`,
    `${counted(domains.value?.length ?? 0, 'domain')} with their signing keys`,
    `${counted(webhooks.value?.length ?? 0, 'webhook')} with their deliveries`,
    'verified recipients and suppressions',
    'all messages with their events and statistics, within 24 hours; links in messages that were sent keep working',
  ];
  return <DangerZone what="email service" name={service.name} goes={goes} work={remove} />;
};
