import type { Invitation } from '@postern/contracts';
import { api } from '../api-client.js';
import { ActionButton, ConfirmButton } from '../components/action-button.js';
import { DataTable } from '../components/data-table.js';
import { Loaded } from '../components/loaded.js';
import { Page } from '../components/page.js';
import { Time } from '../components/time.js';
import { formatLabel } from '../formatting.js';
import { useLoading } from '../loading.js';
import { useSignedIn } from '../session.js';

/** The invitations of the signed-in user to workspaces. */
export const InvitationsPage = () => {
  const { reload } = useSignedIn();
  const invitations = useLoading<Invitation[]>(signal => api.get('/invitations', {}, signal), []);
  const accept = async ({ id }: Invitation) => {
    await api.post(`/invitations/${id}/accept`);
    invitations.reload();
    reload();
  };
  const decline = async ({ id }: Invitation) => {
    await api.post(`/invitations/${id}/decline`);
    invitations.reload();
  };
  return (
    <Page title="Invitations">
      <Loaded of={invitations}>
        {list =>
          list.length === 0 ? (
            <p class="hint">You have no invitations. After you accept one, select the workspace at the top left.</p>
          ) : (
            <DataTable
              caption="Invitations to workspaces"
              rows={list}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Workspace', cell: ({ workspace_name }) => <strong>{workspace_name}</strong> },
                { title: 'Role', cell: ({ role }) => formatLabel(role) },
                { title: 'Invited by', cell: ({ invited_by }) => invited_by },
                { title: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
                {
                  title: 'Actions',
                  buttons: true,
                  cell: invitation => (
                    <>
                      <ActionButton
                        label={`Accept the invitation to ${invitation.workspace_name}`}
                        work={() => accept(invitation)}
                      >
                        Accept
                      </ActionButton>
                      <ConfirmButton
                        label={`Decline the invitation to ${invitation.workspace_name}`}
                        question={`Decline the invitation to ${invitation.workspace_name}?`}
                        consequence="An owner of the workspace can invite you again."
                        confirm="Decline invitation"
                        work={() => decline(invitation)}
                      >
                        Decline
                      </ConfirmButton>
                    </>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
};
