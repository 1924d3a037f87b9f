import { useState } from 'preact/hooks';
import { ApiError, api } from '../api-client.js';
import type { CreatedSession, Workspace } from '../api-shapes.js';
import { useAction } from '../loading.js';
import { Field, Form, type Values } from '../parts/form.js';
import { Notice } from '../parts/notice.js';
import { Page, Section } from '../parts/page.js';
import { useSignedIn } from '../session.js';

export const AccountPage = () => {
  const { me } = useSignedIn();
  const [changed, setChanged] = useState(false);
  const change = useAction(async ({ current_password, new_password, repeated }: Values) => {
    setChanged(false);
    if (new_password !== repeated) throw new ApiError(0, 'The new password and its repetition differ.');
    await api.post('/me/password', { current_password, new_password }, { judgesPassword: true });
    // The change ends every session, this one too; the reader goes on in a new one, in the workspace they were in.
    await api.post<CreatedSession>('/session', { email: me.email, password: new_password }, { judgesPassword: true });
    await api.post<Workspace>('/session/workspace', { workspace_id: me.active_workspace.id });
    setChanged(true);
  });
  return (
    <Page title="Account">
      <p class="about">
        {me.email}
        {me.operator && ', operator'}
      </p>
      <Section title="Password">
        {changed && (
          <Notice kind="good">The password is changed. Whoever was logged in elsewhere has been logged out.</Notice>
        )}
        <Form action={change} submit="Change the password">
          {/* Lets password managers know whose password this is. */}
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
            hint="At least 12 characters."
            autocomplete="new-password"
          />
          <Field label="New password again" name="repeated" type="password" required autocomplete="new-password" />
        </Form>
      </Section>
    </Page>
  );
};
