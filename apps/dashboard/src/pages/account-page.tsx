import type { Me, Workspace } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { ApiError, api } from '../api-client.js';
import { Field, Form, Switch, type Values } from '../components/form.js';
import { ErrorNotice, Notice } from '../components/notice.js';
import { Page, Section } from '../components/page.js';
import { NewPasswordFields } from '../components/password-fields.js';
import { useAction } from '../loading.js';
import { useSignedIn } from '../session.js';
import { SecondFactorSection } from './second-factor-section.js';
import { SessionsSection } from './sessions-section.js';

export const AccountPage = () => {
  const { me } = useSignedIn();
  const [changed, setChanged] = useState(false);
  const change = useAction(async ({ current_password, new_password, repeated, code }: Values) => {
    setChanged(false);
    if (new_password !== repeated) throw new ApiError(0, 'The new passwords do not match.');
    await api.post('/me/password', { current_password, new_password }, { checksPassword: true });
    // The change ends every session including this one: sign in again and restore the active workspace.
    const login = { email: me.email, password: new_password, ...(code ? { code } : {}) };
    await api.signIn(login);
    await api.post<Workspace>('/session/workspace', { workspace_id: me.active_workspace.id });
    setChanged(true);
  });
  return (
    <Page title="Account">
      <p class="about">
        {me.email}
        {me.operator && ' · Administrator'}
      </p>
      <Section title="Password">
        {changed && <Notice kind="good">Password changed. All your other sessions have been signed out.</Notice>}
        <Form action={change} submit="Change password">
          {/* Identifies the account of this password for password managers. */}
          <input type="hidden" name="username" autocomplete="username" value={me.email} />
          <Field
            label="Current password"
            name="current_password"
            type="password"
            required
            autocomplete="current-password"
          />
          <NewPasswordFields name="new_password" />
          <Field
            label="Code"
            name="code"
            maxLength={64}
            hint="Only with two-factor authentication"
            autocomplete="one-time-code"
          />
        </Form>
      </Section>
      <ServiceMails />
      <SecondFactorSection />
      <SessionsSection />
    </Page>
  );
};

const ServiceMails = () => {
  const { me, reload } = useSignedIn();
  const change = useAction(async (mails: Partial<Pick<Me, 'service_mails' | 'status_mails'>>) => {
    await api.patch<Me>('/me', mails);
    reload();
  });
  return (
    <Section title="Email" about="About workspaces that you own.">
      <ErrorNotice error={change.error} />
      <Switch
        label="Email me when something fails"
        about="When a deployment fails, a web service stops responding, a database is nearly full, or a webhook keeps failing, and when the webhook works again. At most one email per hour for each."
        on={me.service_mails}
        busy={change.busy}
        onSwitch={on => change.run({ service_mails: on })}
      />
      {me.status_mails !== undefined && (
        <Switch
          label="Email me once a day what needs somebody"
          about="What the home page shows, in the morning (7:00 UTC). No email on days on which nothing needs somebody."
          on={me.status_mails}
          busy={change.busy}
          onSwitch={on => change.run({ status_mails: on })}
        />
      )}
    </Section>
  );
};
