import type { UserSession } from '@postern/contracts';
import { api } from '../api-client.js';
import { ConfirmButton } from '../components/action-button.js';
import { DataTable } from '../components/data-table.js';
import { Loaded } from '../components/loaded.js';
import { Section } from '../components/page.js';
import { Time } from '../components/time.js';
import { useLoading } from '../loading.js';
import { useSignedIn } from '../session.js';

/** The sessions of the signed-in user, to find and end unwanted ones. */
export const SessionsSection = () => {
  const { signOut } = useSignedIn();
  const sessions = useLoading<UserSession[]>(signal => api.get('/sessions', {}, signal), []);
  const end = async ({ id, current }: UserSession) => {
    if (current) return signOut();
    await api.delete(`/sessions/${id}`);
    sessions.reload();
  };
  return (
    <Section title="Sessions" about="Where you are signed in. Sign out of sessions that you don’t recognize.">
      <Loaded of={sessions}>
        {list => (
          <DataTable
            caption="Sessions"
            rows={list}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Device',
                cell: session => (
                  <>
                    {session.user_agent ?? 'Unknown'} {session.current && <strong>(this session)</strong>}
                  </>
                ),
              },
              { title: 'IP address', cell: session => session.client_address },
              { title: 'Signed in', cell: session => <Time at={session.created_at} /> },
              { title: 'Last used', cell: session => <Time at={session.last_used_at} /> },
              {
                title: 'Actions',
                buttons: true,
                cell: session => (
                  <ConfirmButton
                    label={`Sign out ${session.user_agent ?? 'unknown device'} at ${session.client_address}`}
                    question="Sign out this session?"
                    consequence="The device has to sign in again."
                    confirm="Sign out"
                    work={() => end(session)}
                  >
                    Sign out
                  </ConfirmButton>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <ConfirmButton
        question="Sign out everywhere?"
        consequence="All your sessions end, including this one. API keys stay valid."
        confirm="Sign out everywhere"
        class="danger"
        work={async () => {
          await api.delete('/sessions');
          location.reload();
        }}
      >
        Sign out everywhere
      </ConfirmButton>
    </Section>
  );
};
