import type { Member, PlatformKey, Workspace, WorkspaceQuotas } from '@postern/contracts';
import { api } from '../api-client.js';
import { DangerZone } from '../components/danger-zone.js';
import { Section } from '../components/page.js';
import { counted } from '../formatting.js';
import { useLoading } from '../loading.js';
import { Link, navigate } from '../router.js';
import { useSignedIn } from '../session.js';

/** Resources that must be deleted first, with their pages. */
const CONTENTS = [
  ['projects', 'project', '/projects'],
  ['web_services', 'web service', '/projects'],
  ['databases', 'database', '/databases'],
  ['email_services', 'email service', '/email-services'],
] as const;

/** The deletion of the active workspace, once it is empty. */
export const WorkspaceDeletion = ({ quotas }: { readonly quotas: WorkspaceQuotas }) => {
  const left = CONTENTS.map(([quota, noun, page]) => ({ count: quotas[quota].used ?? 0, noun, page })).filter(
    ({ count }) => count > 0,
  );
  if (left.length === 0) return <Deletion />;
  return (
    <Section title="Delete this workspace" about="Delete these resources first:">
      <ul>
        {left.map(({ count, noun, page }) => (
          <li key={noun}>
            <Link to={page}>{counted(count, noun)}</Link>
          </li>
        ))}
      </ul>
    </Section>
  );
};

const Deletion = () => {
  const { me, reload } = useSignedIn();
  const { id, name } = me.active_workspace;
  const membersPath = `/workspaces/${id}/members`;
  const members = useLoading<Member[]>(signal => api.get(membersPath, {}, signal), [membersPath]);
  const keys = useLoading<PlatformKey[]>(signal => api.get('/platform-keys', {}, signal), [id]);
  const other = me.workspaces.find(workspace => workspace.id !== id);
  const switchTo = (workspace_id: string) => api.post<Workspace>('/session/workspace', { workspace_id });
  const remove = async () => {
    // A session in a deleted workspace ends.
    if (other) await switchTo(other.id);
    try {
      await api.delete(`/workspaces/${id}`);
    } catch (error) {
      if (other) await switchTo(id);
      throw error;
    }
    navigate('/');
    reload();
  };
  const count = (status: Member['status']) => members.value?.filter(member => member.status === status).length ?? 0;
  const goes = [
    `${counted(count('active'), 'membership')}: the users are kept, and their sessions in this workspace end`,
    counted(count('invited'), 'invitation'),
    `${counted(keys.value?.length ?? 0, 'platform key')}: applications that use them stop working immediately`,
    'the name and the quotas of the workspace; administrators can read its audit log until the end of its retention',
    ...(other ? [] : ['your session: you have to sign in again, and get an empty workspace']),
  ];
  return <DangerZone what="workspace" name={name} goes={goes} work={remove} />;
};
