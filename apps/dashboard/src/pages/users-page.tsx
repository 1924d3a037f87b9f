import type { User } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../api-client.js';
import { Field, Form, type Values } from '../components/form.js';
import { Checkbox } from '../components/form-controls.js';
import { Notice } from '../components/notice.js';
import { Page, Section } from '../components/page.js';
import { useAction } from '../loading.js';
import { useSignedIn } from '../session.js';

/** Only administrators can create users; the API cannot list them. */
export const UsersPage = () => {
  const { me } = useSignedIn();
  const [created, setCreated] = useState<User>();
  const create = useAction(async ({ email, password, workspace_name, operator }: Values) => {
    setCreated(undefined);
    const user = { email, password, operator: operator === 'on', ...(workspace_name ? { workspace_name } : {}) };
    setCreated(await api.post<User>('/users', user));
  });
  if (!me.operator)
    return (
      <Page title="Users">
        <Notice kind="warning">Only administrators can create users. Ask your administrator.</Notice>
      </Page>
    );
  return (
    <Page title="Users">
      {created && (
        <Notice kind="good">
          User created. {created.email} can log in now. Workspace:{' '}
          {created.workspaces.map(({ name }) => name).join(', ')}.
        </Notice>
      )}
      <Section title="New user" about="Each user gets a new workspace. Share the password through a secure channel.">
        <Form action={create} submit="Create user">
          <Field label="Email address" name="email" type="email" required maxLength={320} autocomplete="off" />
          <Field
            label="Password"
            name="password"
            type="password"
            required
            minLength={12}
            maxLength={1024}
            hint="At least 12 characters, and not a common password."
            autocomplete="new-password"
          />
          <Field label="Workspace name" name="workspace_name" maxLength={100} hint="Optional" autocomplete="off" />
          <Checkbox label="Administrator (can create users and moderate web services)" name="operator" />
        </Form>
      </Section>
    </Page>
  );
};
