import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { EmailService, EmailServiceChanges } from '../../api-shapes.js';
import { useAction } from '../../loading.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Field, Form, Switch, type Values } from '../../parts/form.js';
import { ErrorNotice, Notice } from '../../parts/notice.js';
import { Page, Section } from '../../parts/page.js';
import { useService } from './service-frame.js';

const SWITCHES = {
  enabled: ['Enabled', 'While it is off, every request to send is refused.'],
  open_tracking: ['Open tracking', 'An invisible picture in each HTML message tells when it was opened, and by whom.'],
  click_tracking: ['Click tracking', 'Links of HTML messages lead over this server, which tells who followed them.'],
  suppression: ['Suppression', 'Nothing is sent to addresses that bounced hard or complained before.'],
} as const;

export const SettingsPage = () => {
  const { service, path, changed } = useService();
  const [renamed, setRenamed] = useState(false);
  const change = async (changes: EmailServiceChanges) => changed(await api.patch<EmailService>(path, changes));
  const rename = useAction(async ({ name = '' }: Values) => {
    setRenamed(false);
    await change({ name });
    setRenamed(true);
  });
  const flip = useAction(change);
  return (
    <Page title="Settings">
      <Section title="Name">
        <Form action={rename} submit="Rename" class="line" keeps>
          <Field label="Name" name="name" required maxLength={100} defaultValue={service.name} autocomplete="off" />
        </Form>
        {renamed && <Notice kind="good">Renamed.</Notice>}
      </Section>
      <Section title="Switches" about="They take effect at once, for messages accepted from then on.">
        <ErrorNotice error={flip.error} />
        {(Object.keys(SWITCHES) as (keyof typeof SWITCHES)[]).map(name => (
          <Switch
            key={name}
            label={SWITCHES[name][0]}
            about={SWITCHES[name][1]}
            on={service[name]}
            busy={flip.busy}
            onSwitch={on => flip.run({ [name]: on })}
          />
        ))}
      </Section>
      <Section title="Identity">
        <p class="copy-line">
          <code>{service.id}</code>
          <CopyButton text={service.id} what="the id of the service" />
        </p>
      </Section>
    </Page>
  );
};
