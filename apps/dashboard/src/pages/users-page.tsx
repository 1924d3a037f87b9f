import type { ListedUser, Page as ListPage, User } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../api-client.js';
import { ActionButton, ConfirmButton } from '../components/action-button.js';
import { Badge } from '../components/badge.js';
import { DataTable } from '../components/data-table.js';
import { Field, Form, type Values } from '../components/form.js';
import { Checkbox } from '../components/form-controls.js';
import { Loaded } from '../components/loaded.js';
import { Notice } from '../components/notice.js';
import { CollapsibleSection, Page } from '../components/page.js';
import { Paging } from '../components/paging.js';
import { NewPasswordField } from '../components/password-fields.js';
import { SearchField } from '../components/search-field.js';
import { Time } from '../components/time.js';
import { useListState } from '../list-state.js';
import { useAction, useLoading } from '../loading.js';
import { useSignedIn } from '../session.js';

const PAGE_SIZE = 50;

/** Only administrators can list, create and disable users. */
export const UsersPage = () => {
  const { me } = useSignedIn();
  return (
    <Page title="Users">
      {me.operator ? (
        <ManagedUsers />
      ) : (
        <Notice kind="warning">Only administrators can manage users. Ask your administrator.</Notice>
      )}
    </Page>
  );
};

const ManagedUsers = () => {
  const [created, setCreated] = useState<User>();
  const { offset, limit, filter, setOffset, setLimit, setFilter } = useListState(['search'], PAGE_SIZE);
  const { search = '' } = filter;
  const users = useLoading<ListPage<ListedUser>>(
    signal => api.get('/users', { search, limit, offset }, signal),
    [search, limit, offset],
  );
  const create = useAction(async ({ email, password, workspace_name, operator }: Values) => {
    setCreated(undefined);
    const user = { email, password, operator: operator === 'on', ...(workspace_name ? { workspace_name } : {}) };
    setCreated(await api.post<User>('/users', user));
    users.reload();
  });
  return (
    <>
      {created && (
        <Notice kind="good">
          User created. {created.email} can sign in now. Workspace:{' '}
          {created.workspaces.map(({ name }) => name).join(', ')}.
        </Notice>
      )}
      <CollapsibleSection
        title="New user"
        about="Each user gets a new workspace. Share the password through a secure channel."
      >
        <Form action={create} submit="Create user">
          <Field label="Email address" name="email" type="email" required maxLength={320} autocomplete="off" />
          <NewPasswordField label="Password" />
          <Field label="Workspace name" name="workspace_name" maxLength={100} hint="Optional" autocomplete="off" />
          <Checkbox label="Administrator (can manage users and moderate web services)" name="operator" />
        </Form>
      </CollapsibleSection>
      <SearchField label="Search by email address" value={search} onSearch={text => setFilter({ search: text })} />
      <Loaded of={users}>
        {list => (
          <>
            <UsersTable users={list.items} onChange={users.reload} />
            <Paging page={list} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
    </>
  );
};

interface UsersTableProps {
  readonly users: readonly ListedUser[];
  readonly onChange: () => void;
}

const UsersTable = ({ users, onChange }: UsersTableProps) => {
  const { me } = useSignedIn();
  const setEnabled = async ({ id }: ListedUser, enabled: boolean) => {
    await api.patch(`/users/${id}`, { enabled });
    onChange();
  };
  const enabling = (user: ListedUser) => {
    if (user.id === me.id) return null;
    if (!user.enabled)
      return (
        <ActionButton class="quiet" label={`Enable ${user.email}`} work={() => setEnabled(user, true)}>
          Enable
        </ActionButton>
      );
    return (
      <ConfirmButton
        label={`Disable ${user.email}`}
        question={`Disable ${user.email}?`}
        consequence="Their sessions end and their platform keys stop working immediately. Web services and databases keep running."
        confirm="Disable user"
        work={() => setEnabled(user, false)}
      >
        Disable
      </ConfirmButton>
    );
  };
  return (
    <DataTable
      caption="Users"
      rows={users}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Email address', cell: ({ email }) => <strong>{email}</strong> },
        { title: 'Role', cell: ({ operator }) => (operator ? 'Administrator' : 'User') },
        { title: 'Status', cell: ({ enabled }) => <Badge status={enabled ? 'enabled' : 'disabled'} /> },
        { title: 'Two-factor authentication', cell: ({ second_factor }) => (second_factor ? 'On' : 'Off') },
        { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
        {
          title: 'Actions',
          buttons: true,
          cell: user => (
            <>
              {user.second_factor && user.id !== me.id && <TurnOffSecondFactor user={user} onTurnedOff={onChange} />}
              {enabling(user)}
            </>
          ),
        },
      ]}
    />
  );
};

const TurnOffSecondFactor = ({
  user,
  onTurnedOff,
}: {
  readonly user: ListedUser;
  readonly onTurnedOff: () => void;
}) => (
  <ConfirmButton
    label={`Turn off two-factor authentication of ${user.email}`}
    question={`Turn off two-factor authentication of ${user.email}?`}
    consequence="They can sign in with only their password. They are notified by email."
    confirm="Turn off two-factor authentication"
    work={async () => {
      await api.delete(`/users/${user.id}/second-factor`);
      onTurnedOff();
    }}
  >
    Turn off two-factor authentication
  </ConfirmButton>
);
