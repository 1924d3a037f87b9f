import type { Member, WorkspaceRole } from '@postern/contracts';
import { api } from '../api-client.js';
import { ConfirmButton } from '../components/action-button.js';
import { Badge } from '../components/badge.js';
import { DataTable } from '../components/data-table.js';
import { Choice, Field, Form, type Values } from '../components/form.js';
import { Select } from '../components/form-controls.js';
import { Loaded } from '../components/loaded.js';
import { ErrorNotice } from '../components/notice.js';
import { Page, Section } from '../components/page.js';
import { Time } from '../components/time.js';
import { formatLabel } from '../formatting.js';
import { useAction, useLoading } from '../loading.js';
import { useSignedIn } from '../session.js';

const ROLES: readonly (readonly [WorkspaceRole, string])[] = [
  ['viewer', 'Viewer: reads everything'],
  ['member', 'Member: works with services'],
  ['owner', 'Owner: also manages members, platform keys and deletion'],
];

/** The members of the active workspace; owners can change them. */
export const MembersPage = () => {
  const { me } = useSignedIn();
  const path = `/workspaces/${me.active_workspace.id}/members`;
  const members = useLoading<Member[]>(signal => api.get(path, {}, signal), [path]);
  const isOwner = (me.active_workspace.role ?? 'owner') === 'owner';
  return (
    <Page title="Members">
      <Loaded of={members}>
        {list => <MembersTable path={path} members={list} isOwner={isOwner} onChange={members.reload} />}
      </Loaded>
      {isOwner && <InviteMember path={path} onInvited={members.reload} />}
      <LeaveSection />
    </Page>
  );
};

interface MembersTableProps {
  readonly path: string;
  readonly members: readonly Member[];
  readonly isOwner: boolean;
  readonly onChange: () => void;
}

const MembersTable = ({ path, members, isOwner, onChange }: MembersTableProps) => {
  const { me, reload } = useSignedIn();
  const change = useAction(async ({ id }: Member, role: string) => {
    await api.patch(`${path}/${id}`, { role });
    if (id === me.id) reload();
    onChange();
  });
  const remove = async ({ id }: Member) => {
    await api.delete(`${path}/${id}`);
    onChange();
  };
  return (
    <>
      <ErrorNotice error={change.error} />
      <DataTable
        caption="Members"
        rows={members}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Email address', cell: ({ email }) => <strong>{email}</strong> },
          {
            title: 'Role',
            cell: member =>
              isOwner && member.status === 'active' ? (
                <Choice
                  label={`Role of ${member.email}`}
                  hideLabel
                  value={member.role}
                  options={ROLES.map(([role]) => [role, formatLabel(role)] as const)}
                  onChoice={role => change.run(member, role)}
                />
              ) : (
                formatLabel(member.role)
              ),
          },
          { title: 'Status', cell: ({ status }) => <Badge status={status} /> },
          { title: 'Since', cell: ({ joined_at }) => joined_at && <Time at={joined_at} /> },
          { title: 'Expires', cell: ({ expires_at }) => expires_at && <Time at={expires_at} /> },
          {
            title: 'Actions',
            buttons: true,
            cell: member =>
              isOwner &&
              member.id !== me.id && (
                <ConfirmButton
                  {...(member.status === 'invited' ? REVOKE : REMOVE)(member.email)}
                  work={() => remove(member)}
                >
                  {member.status === 'invited' ? 'Revoke' : 'Remove'}
                </ConfirmButton>
              ),
          },
        ]}
      />
    </>
  );
};

const REMOVE = (email: string) => ({
  label: `Remove ${email}`,
  question: `Remove ${email}?`,
  consequence: 'Their sessions in this workspace end and their platform keys for it stop working immediately.',
  confirm: 'Remove member',
});
const REVOKE = (email: string) => ({
  label: `Revoke invitation of ${email}`,
  question: `Revoke the invitation of ${email}?`,
  consequence: 'The invitation can no longer be accepted.',
  confirm: 'Revoke invitation',
});

const InviteMember = ({ path, onInvited }: { readonly path: string; readonly onInvited: () => void }) => {
  const invite = useAction(async ({ email, role }: Values) => {
    await api.post<Member>(path, { email, role });
    onInvited();
  });
  return (
    <Section
      title="Invite member"
      about="The person gets an invitation by email and joins when they accept it, within 7 days."
    >
      <Form action={invite} submit="Invite member">
        <Field label="Email address" name="email" type="email" required maxLength={320} autocomplete="off" />
        <Select label="Role" name="role" options={ROLES} />
      </Form>
    </Section>
  );
};

const LeaveSection = () => {
  const { me, reload } = useSignedIn();
  const { id, name } = me.active_workspace;
  return (
    <Section title="Leave workspace">
      <ConfirmButton
        question={`Leave ${name}?`}
        consequence="You lose access to this workspace and have to sign in again. An owner can invite you again."
        confirm="Leave workspace"
        work={async () => {
          await api.post(`/workspaces/${id}/leave`);
          reload();
        }}
      >
        Leave workspace
      </ConfirmButton>
    </Section>
  );
};
