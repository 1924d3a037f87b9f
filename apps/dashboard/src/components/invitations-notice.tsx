import type { Invitation } from '@postern/contracts';
import { api } from '../api-client.js';
import { useLoading } from '../loading.js';
import { Link } from '../router.js';
import { Notice } from './notice.js';

/** Tells the signed-in user about invitations, on every page but their own. A failed read shows nothing. */
export const InvitationsNotice = ({ path }: { readonly path: string }) => {
  const { value = [] } = useLoading<Invitation[]>(signal => api.get('/invitations', {}, signal), [path]);
  if (path === '/invitations' || value.length === 0) return null;
  return (
    <Notice kind="plain">
      You are invited to {value.length === 1 ? 'a workspace' : `${value.length} workspaces`}.{' '}
      <Link to="/invitations">View invitations</Link>
    </Notice>
  );
};
