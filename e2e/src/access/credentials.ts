import { randomBytes } from 'node:crypto';
import type { PlatformOperation, WorkspaceRole } from '@postern/contracts';
import type { TestUser } from './test-user.js';

/** A credential that a caller presents, and its holder. */
export interface Credential {
  readonly name: string;
  readonly kind: 'none' | 'session' | 'platform-key' | 'api-key';
  readonly headers: Readonly<Record<string, string>>;
  /** The user that it authenticates; absent if it is not valid. */
  readonly user?: TestUser;
  readonly scope?: 'read' | 'write';
  readonly operator?: boolean;
  /** The role of the holder in the workspace of `user`; absent for the owner. */
  readonly role?: WorkspaceRole;
  /** Whether it acts in another workspace of `user`, which contains none of the resources. */
  readonly elsewhere?: boolean;
  /** The restriction of a platform key: the project of the resources or another project, and operations. */
  readonly project?: 'own' | 'other';
  readonly operations?: readonly PlatformOperation[];
  /** A key of a disabled email service. */
  readonly disabled?: boolean;
  /** A session cookie in a cross-site request. */
  readonly crossSite?: boolean;
}

/** Sent in every header in which an operation accepts a credential. */
export const everywhere = (secret: string) => ({ authorization: `Bearer ${secret}`, 'api-key': secret });
const random = () => randomBytes(40).toString('base64').replace(/[+/=]/g, 'x').slice(0, 43);

/** One credential of every kind; `emailServicePath` is the owner's email service to which the API keys belong. */
export const credentialsOf = async (
  owner: TestUser,
  neighbour: TestUser,
  operator: { readonly token: string },
  services: { readonly owner: string; readonly neighbour: string },
  colleagues: Readonly<Record<'member' | 'viewer', TestUser>>,
): Promise<readonly Credential[]> => [
  { name: 'no credential', kind: 'none', headers: {} },
  ...['', 'ak_live_', 'em_live_'].map(
    prefix =>
      ({ name: `an invented ${prefix || 'session'}`, kind: 'none', headers: everywhere(prefix + random()) }) as const,
  ),
  ...(await sessionsOf(owner, neighbour, operator)),
  await sessionOfColleague('member', colleagues.member, owner),
  await sessionOfColleague('viewer', colleagues.viewer, owner),
  ...(await platformKeysOf(owner, neighbour)),
  ...(await apiKeysOf(owner, neighbour, services)),
];

const sessionsOf = async (
  owner: TestUser,
  neighbour: TestUser,
  operator: { readonly token: string },
): Promise<readonly Credential[]> => {
  const ended = await owner.newSession();
  await owner.call('DELETE', '/dashboard/api/session', undefined, { authorization: `Bearer ${ended}` });
  const cookie = { cookie: `postern_session=${owner.token}`, 'sec-fetch-site': 'cross-site' };
  return [
    { name: 'a session that was signed out', kind: 'none', headers: everywhere(ended) },
    { name: 'the session of the owner', kind: 'session', headers: everywhere(owner.token), user: owner },
    { name: 'the session of another user', kind: 'session', headers: everywhere(neighbour.token), user: neighbour },
    { name: 'the session cookie, from another site', kind: 'session', headers: cookie, user: owner, crossSite: true },
    { name: 'the session of an operator', kind: 'session', headers: everywhere(operator.token), operator: true },
  ];
};

/** The session of another user who was added to the owner's workspace and acts in it. */
const sessionOfColleague = async (
  role: 'member' | 'viewer',
  colleague: TestUser,
  owner: TestUser,
): Promise<Credential> => {
  await join(colleague, owner, role);
  return { name: `the session of a ${role}`, kind: 'session', role, headers: everywhere(colleague.token), user: owner };
};

/** Invites a user to the owner's workspace, who accepts, and switches their session to it. */
export const join = async (colleague: TestUser, owner: TestUser, role: WorkspaceRole): Promise<void> => {
  const workspace_id = owner.workspaceId;
  const added = await owner.call('POST', `/dashboard/api/workspaces/${workspace_id}/members`, {
    email: colleague.email,
    role,
  });
  if (added.status !== 201) throw new Error(`The ${role} was not invited: ${added.body}`);
  const joined = await colleague.call('POST', `/dashboard/api/invitations/${added.json['id']}/accept`);
  if (joined.status !== 200) throw new Error(`The ${role} did not join the workspace: ${joined.body}`);
  const switched = await colleague.call('POST', '/dashboard/api/session/workspace', { workspace_id });
  if (switched.status !== 200) throw new Error(`The ${role} did not switch to the workspace: ${switched.body}`);
};

const platformKeysOf = async (owner: TestUser, neighbour: TestUser): Promise<readonly Credential[]> => {
  const create = async (user: TestUser, scope: 'read' | 'write', more: object = {}) => {
    const { json } = await user.call('POST', '/dashboard/api/platform-keys', { name: 'matrix', scope, ...more });
    return { id: String(json['id']), headers: everywhere(String(json['key'])) };
  };
  const [read, write, foreign] = [
    await create(owner, 'read'),
    await create(owner, 'write'),
    await create(neighbour, 'write'),
  ];
  const expiresAt = Date.now() + 1_000;
  const expired = await create(owner, 'write', { expires_at: new Date(expiresAt).toISOString() });
  const revoked = await create(owner, 'write');
  await owner.call('DELETE', `/dashboard/api/platform-keys/${revoked.id}`);
  await new Promise(resolve => setTimeout(resolve, expiresAt - Date.now() + 50));
  return [
    { name: 'a read key of the owner', kind: 'platform-key', scope: 'read', user: owner, headers: read.headers },
    { name: 'a write key of the owner', kind: 'platform-key', scope: 'write', user: owner, headers: write.headers },
    {
      name: 'a write key of another user',
      kind: 'platform-key',
      scope: 'write',
      user: neighbour,
      headers: foreign.headers,
    },
    { name: 'an expired platform key', kind: 'none', headers: expired.headers },
    { name: 'a revoked platform key', kind: 'none', headers: revoked.headers },
  ];
};

const apiKeysOf = async (
  owner: TestUser,
  neighbour: TestUser,
  services: { readonly owner: string; readonly neighbour: string },
): Promise<readonly Credential[]> => {
  const create = async (user: TestUser, service: string) => {
    const path = `/dashboard/api/email-services/${service}/api-keys`;
    const { json } = await user.call('POST', path, { name: 'matrix' });
    return { path: `${path}/${json['id']}`, headers: everywhere(String(json['key'])) };
  };
  const disabledService = (await owner.call('POST', '/dashboard/api/email-services', { name: 'Disabled' })).json['id'];
  const disabled = await create(owner, String(disabledService));
  await owner.call('PATCH', `/dashboard/api/email-services/${disabledService}`, { enabled: false });
  const revoked = await create(owner, services.owner);
  await owner.call('DELETE', revoked.path);
  const [own, foreign] = [await create(owner, services.owner), await create(neighbour, services.neighbour)];
  return [
    { name: 'an email key of the owner', kind: 'api-key', user: owner, headers: own.headers },
    { name: 'an email key of another user', kind: 'api-key', user: neighbour, headers: foreign.headers },
    {
      name: 'an email key of a disabled service',
      kind: 'api-key',
      user: owner,
      disabled: true,
      headers: disabled.headers,
    },
    { name: 'a revoked email key', kind: 'none', headers: revoked.headers },
  ];
};
