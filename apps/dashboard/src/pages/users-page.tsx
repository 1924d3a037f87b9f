import { useState } from 'preact/hooks';
import { api } from '../api-client.js';
import type { User } from '../api-shapes.js';
import { useAction } from '../loading.js';
import { Field, Form, type Values } from '../parts/form.js';
import { Notice } from '../parts/notice.js';
import { Page, Section } from '../parts/page.js';
import { useSignedIn } from '../session.js';

/** For operators, who alone may make users; the API has no list of them. */
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
        <Notice kind="warning">Only operators may create users.</Notice>
      </Page>
    );
  return (
    <Page title="Users">
      {created && (
        <Notice kind="good">
          {created.email} can log in now. Workspace: {created.workspaces.map(({ name }) => name).join(', ')}.
        </Notice>
      )}
      <Section title="New user" about="Every user gets a workspace of their own. Hand them the password on a safe way.">
        <Form action={create} submit="Create the user">
          <Field label="E-mail address" name="email" type="email" required maxLength={320} autocomplete="off" />
          <Field
            label="Password"
            name="password"
            type="password"
            required
            minLength={12}
            maxLength={1024}
            hint="At least 12 characters."
            autocomplete="new-password"
          />
          <Field
            label="Name of the workspace"
            name="workspace_name"
            maxLength={100}
            hint="May be left empty."
            autocomplete="off"
          />
          <span class="check">
            <input type="checkbox" id="operator" name="operator" />
            <label for="operator">An operator too, who may create further users</label>
          </span>
        </Form>
      </Section>
    </Page>
  );
};
