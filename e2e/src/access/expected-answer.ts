import { includesRole } from '@postern/contracts';
import type { Credential } from './credentials.js';
import type { Access, Operation } from './operations.js';
import type { TestUser } from './test-user.js';

/** Whose resource a place names; undefined for an id that nobody has. */
export type OwnerOfPlace = TestUser | undefined;

/** What a cell of the matrix must be answered with. */
export type ExpectedAnswer = 'unauthenticated' | 'forbidden' | 'not found' | 'admitted';

/** The kind of credential that each access wants. */
const WANTED: Readonly<Record<Exclude<Access, 'anyone'>, Credential['kind']>> = {
  'platform-key': 'platform-key',
  session: 'session',
  'service-owner': 'session',
  'workspace-member': 'session',
  operator: 'session',
  'api-key': 'api-key',
};

/** Derived from the declared access: authentication comes first, then permission, then the resource. */
export const expectedAnswer = (
  operation: Operation,
  credential: Credential,
  places: readonly OwnerOfPlace[],
): ExpectedAnswer => {
  if (operation.access === 'anyone') return 'admitted';
  if (credential.kind !== WANTED[operation.access]) return 'unauthenticated';
  // Of a workspace that a user does not belong to, they learn nothing.
  if (operation.access === 'workspace-member' && !mayReach(operation, credential, places.slice(0, 1)))
    return credential.crossSite && !isRead(operation) ? 'forbidden' : 'not found';
  if (!mayCall(operation, credential)) return 'forbidden';
  return mayReach(operation, credential, places) ? 'admitted' : 'not found';
};

const isRead = ({ method }: Operation) => method === 'GET' || method === 'HEAD';

const mayCall = (operation: Operation, credential: Credential): boolean => {
  const { scope, disabled, crossSite, operator, kind, role = 'owner' } = credential;
  if (kind === 'session' && !operation.operatorsReachAll && !includesRole(role, operation.role)) return false;
  if (scope === 'read' && !isRead(operation)) return false;
  if (disabled || (crossSite && !isRead(operation))) return false;
  return operator || !operation.operatorsOnly;
};

/** Operators reach the resources of every user, as long as they belong together. */
const mayReach = (
  { operatorsReachAll }: Operation,
  { user, operator }: Credential,
  places: readonly OwnerOfPlace[],
): boolean => {
  const expected = operator && operatorsReachAll ? places[0] : user;
  return places.every(owner => owner !== undefined && owner === expected);
};
