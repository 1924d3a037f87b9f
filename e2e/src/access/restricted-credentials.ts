import { type PlatformOperation, platformOperation } from '@postern/contracts';
import { type Credential, everywhere, join } from './credentials.js';
import type { TestUser } from './test-user.js';

const READS = platformOperation.options.filter(operation => operation.endsWith(':read'));
const DEPLOYS: readonly PlatformOperation[] = ['deployments:write', 'web-services:read'];

/** Users who created a platform key while they were owners of the workspace. */
export type FormerOwners = Readonly<Record<'demoted' | 'removed', TestUser>>;

/** Valid credentials that reach less than the owner's workspace. */
export const restrictedCredentials = async (
  owner: TestUser,
  projectId: string,
  former: FormerOwners,
): Promise<readonly Credential[]> => {
  const other = await created(owner, '/projects', { name: 'Other' });
  const key = { kind: 'platform-key', scope: 'write', user: owner } as const;
  const restricted = async (to: object) => everywhere(await newKey(owner, to));
  return [
    await sessionElsewhere(owner),
    {
      ...key,
      name: 'a key for the project',
      project: 'own',
      headers: await restricted({ projects: [projectId] }),
    },
    {
      ...key,
      name: 'a key for another project of the workspace',
      project: 'other',
      headers: await restricted({ projects: [other['id']] }),
    },
    { ...key, name: 'a key for reading', operations: READS, headers: await restricted({ operations: READS }) },
    { ...key, name: 'a key for deployments', operations: DEPLOYS, headers: await restricted({ operations: DEPLOYS }) },
    {
      ...key,
      name: 'a key for deployments of another project',
      project: 'other',
      operations: DEPLOYS,
      headers: await restricted({ projects: [other['id']], operations: DEPLOYS }),
    },
    await keyOfDemoted(owner, former.demoted),
    await keyOfRemoved(owner, former.removed),
  ];
};

/** A session of the owner that acts in a second workspace. */
const sessionElsewhere = async (owner: TestUser): Promise<Credential> => {
  const { id } = await created(owner, '/workspaces', { name: 'Second' });
  const headers = everywhere(await owner.newSession());
  const { status } = await owner.call(
    'POST',
    '/dashboard/api/session/workspace',
    { workspace_id: id },
    { authorization: headers.authorization },
  );
  if (status !== 200) throw new Error(`The owner did not switch to the second workspace: ${status}`);
  return {
    name: 'the session of the owner in another workspace',
    kind: 'session',
    elsewhere: true,
    headers,
    user: owner,
  };
};

/** A key has the present role of its user. */
const keyOfDemoted = async (owner: TestUser, colleague: TestUser): Promise<Credential> => {
  await join(colleague, owner, 'owner');
  const headers = everywhere(await newKey(colleague));
  await changeMember(owner, colleague, 'PATCH', { role: 'viewer' });
  return {
    name: 'a write key of an owner who is a viewer now',
    kind: 'platform-key',
    scope: 'write',
    role: 'viewer',
    headers,
    user: owner,
  };
};

const keyOfRemoved = async (owner: TestUser, colleague: TestUser): Promise<Credential> => {
  await join(colleague, owner, 'owner');
  const headers = everywhere(await newKey(colleague));
  await changeMember(owner, colleague, 'DELETE');
  return { name: 'a write key of an owner who was removed', kind: 'none', headers };
};

const changeMember = async (owner: TestUser, member: TestUser, method: string, body?: object): Promise<void> => {
  const path = `/dashboard/api/workspaces/${owner.workspaceId}/members/${member.id}`;
  const answer = await owner.call(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`);
};

const newKey = async (user: TestUser, restrictions: object = {}): Promise<string> => {
  const { key } = await created(user, '/platform-keys', { name: 'matrix', scope: 'write', ...restrictions });
  return String(key);
};

const created = async (user: TestUser, path: string, body: object): Promise<Record<string, unknown>> => {
  const answer = await user.call('POST', `/dashboard/api${path}`, body);
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.body}`);
  return answer.json;
};
