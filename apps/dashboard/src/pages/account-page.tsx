import type { CreatedSession, Workspace } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { ApiError, api } from '../api-client.js';
import { Field, Form, type Values } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { Page, Section } from '../components/page.js';
import { useAction } from '../loading.js';
import { useSignedIn } from '../session.js';

export const AccountPage = () => {
  const { me } = useSignedIn();
  const [changed, setChanged] = useState(false);
  const change = useAction(async ({ current_password, new_password, repeated }: Values) => {
    setChanged(false);
    if (new_password !== repeated) throw new ApiError(0, 'The new passwords do not match.');
    await api.post('/me/password', { current_password, new_password }, { checksPassword: true });
    // The change ends every session including this one: log in again and restore the active workspace.
    await api.post<CreatedSession>('/session', { email: me.email, password: new_password }, { checksPassword: true });
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
        {changed && <Notice kind="good">Password changed. All your other sessions have been logged out.</Notice>}
        <Form action={change} submit="Change password">
          {/* Tells password managers which account this password belongs to. */}
          <input type="hidden" name="username" autocomplete="username" value={me.email} />
          <Field
            label="Current password"
            name="current_password"
            type="password"
            required
            autocomplete="current-password"
          />
          <Field
            label="New password"
            name="new_password"
            type="password"
            required
            minLength={12}
            maxLength={1024}
            hint="At least 12 characters, and not a common password."
            autocomplete="new-password"
          />
          <Field label="Confirm new password" name="repeated" type="password" required autocomplete="new-password" />
        </Form>
      </Section>
    </Page>
  );
};
