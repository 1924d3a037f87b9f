import { includesRole, operationOf, type PlatformOperation } from '@postern/contracts';
import type { Credential } from './credentials.js';
import type { Access, Operation } from './operations.js';
import type { Place } from './resources.js';
import type { TestUser } from './test-user.js';

/** The owner of the resource that a place names; undefined for an unknown id. */
export type OwnerOfPlace = TestUser | undefined;

/** A place of an operation with the owner of the resource. */
export interface OwnedPlace {
  readonly place: Place;
  readonly owner: OwnerOfPlace;
}

/** The expected response of a cell of the matrix. */
export type ExpectedAnswer = 'unauthenticated' | 'forbidden' | 'not found' | 'admitted';

/** The kind of credential that each access requires. */
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
  places: readonly OwnedPlace[],
): ExpectedAnswer => {
  if (operation.access === 'anyone') return 'admitted';
  if (credential.kind !== WANTED[operation.access]) return 'unauthenticated';
  // Users must not learn whether a workspace exists that they do not belong to.
  if (operation.access === 'workspace-member' && !mayReach(operation, credential, places.slice(0, 1)))
    return credential.crossSite && !isRead(operation) ? 'forbidden' : 'not found';
  if (!mayCall(operation, credential)) return 'forbidden';
  return mayReach(operation, credential, places) ? 'admitted' : 'not found';
};

const isRead = ({ method }: Operation) => method === 'GET' || method === 'HEAD';

const mayCall = (operation: Operation, credential: Credential): boolean => {
  const { scope, disabled, crossSite, operator, kind, role = 'owner', project } = credential;
  if (kind !== 'api-key' && !operation.operatorsReachAll && !includesRole(role, operation.role)) return false;
  if (scope === 'read' && !isRead(operation)) return false;
  if (disabled || (crossSite && !isRead(operation))) return false;
  if (!permits(credential, operation) || (project && operation.refusesRestrictedKeys)) return false;
  if (project && operation.access === 'platform-key' && wantedBy(operation) === 'databases:write') return false;
  return operator || !operation.operatorsOnly;
};

/** `write` includes `read`; a key may always read its own data. */
const permits = ({ operations }: Credential, operation: Operation): boolean => {
  if (!operations || operation.path === OWN_KEY) return true;
  const wanted = wantedBy(operation)!;
  return operations.includes(wanted) || operations.includes(wanted.replace(/:read$/, ':write') as PlatformOperation);
};

/** A key that is restricted to projects changes no database, because databases belong to the workspace. */
const wantedBy = (operation: Operation): PlatformOperation | undefined =>
  operation.path === OWN_KEY ? undefined : operationOf(operation.tag.replaceAll(' ', '-'), !isRead(operation));

const OWN_KEY = '/api/v1/users/me/api-key';

const mayReach = (operation: Operation, credential: Credential, places: readonly OwnedPlace[]): boolean =>
  places.every(one => reaches(operation, credential, one, places));

/** Operators reach the resources of all users, if the resources of the request belong together. */
export const reaches = (
  operation: Operation,
  credential: Credential,
  { place, owner }: OwnedPlace,
  places: readonly OwnedPlace[],
): boolean => {
  const { user, operator, elsewhere, project } = credential;
  const expected = operator && operation.operatorsReachAll ? places[0]?.owner : user;
  if (owner === undefined || owner !== expected) return false;
  if (elsewhere && !belongsToUser(operation, place)) return false;
  return project === undefined || (project === 'own' && !isOutsideProjects(place));
};

/** Workspaces and sessions are the same, whatever workspace the session acts in. */
const belongsToUser = ({ ofUser }: Operation, { collection }: Place): boolean =>
  ofUser || collection === '/dashboard/api/workspaces';

/** A key that is restricted to projects cannot access databases. */
const isOutsideProjects = ({ collection }: Place): boolean => collection.startsWith('/dashboard/api/databases');
