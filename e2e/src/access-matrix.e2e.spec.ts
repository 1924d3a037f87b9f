import { afterAll, describe, expect, it } from '@jest/globals';
import { startHttpReceiver } from '@postern/testing';
import { type Credential, credentialsOf } from './access/credentials.js';
import { endedCredentials } from './access/ended-credentials.js';
import { isRead, Matrix } from './access/matrix.js';
import { stateOf } from './access/observed-state.js';
import { declaredRoutes, type Operation, operationsOf } from './access/operations.js';
import { placesOf, Resources } from './access/resources.js';
import { restrictedCredentials } from './access/restricted-credentials.js';
import { TestUser } from './access/test-user.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const { baseUrl } = world.postern;
const operations = await operationsOf(baseUrl);
const receiver = await startHttpReceiver();
afterAll(() => receiver.stop());
const owner = await TestUser.create(baseUrl, world.token, 'owner', receiver.url);
const neighbour = await TestUser.create(baseUrl, world.token, 'neighbour', receiver.url);
const newcomer = () => TestUser.create(baseUrl, world.token, 'newcomer', receiver.url);
const operator = await TestUser.signIn(baseUrl, 'operator', world.operatorLogin, receiver.url);
const resourcesOf = (user: TestUser) => new Resources(user, operations, newcomer, {}, operator);
const resources = new Map([owner, neighbour].map(user => [user, resourcesOf(user)] as const));
const idOf = (user: TestUser, name: string, collection: string) =>
  resources.get(user)!.idOf({ name, in: 'path', collection: `/dashboard/api/${collection}` });
const serviceOf = (user: TestUser) => idOf(user, 'service_id', 'email-services');
const services = { owner: await serviceOf(owner), neighbour: await serviceOf(neighbour) };
const newUser = (name: string) => TestUser.create(baseUrl, world.token, name, receiver.url);
const colleagues = { member: await newUser('member'), viewer: await newUser('viewer') };
const formerOwners = { demoted: await newUser('demoted'), removed: await newUser('removed') };
const disabled = await newUser('disabled');
const credentials = [
  ...(await credentialsOf(owner, neighbour, world, services, colleagues)),
  ...(await restrictedCredentials(owner, await idOf(owner, 'project_id', 'projects'), formerOwners)),
  ...(await endedCredentials(owner, disabled, world, world.postern.wiring.databaseUrl('platform-management'))),
];
const matrix = new Matrix(baseUrl, operations, resources);
for (const operation of operations)
  for (const place of placesOf(operation, operations)) for (const tree of resources.values()) await tree.idOf(place);

/** Represents the base path of the operations for operators only. */
const OPERATORS = 'operators';

/** The credential with write permission, by access. */
const WRITERS: Readonly<Partial<Record<Operation['access'], string>>> = {
  'platform-key': 'a write key of the owner',
  session: 'the session of the owner',
  'service-owner': 'the session of the owner',
  'workspace-member': 'the session of the owner',
  operator: 'the session of an operator',
  'api-key': 'an email key of the owner',
};

const stateBefore = {
  owner: await stateOf(matrix, operations, owner),
  neighbour: await stateOf(matrix, operations, neighbour),
};

/** A shell is a WebSocket: shells.int.spec.ts and workspace-boundary.int.spec.ts show who can open one. */
const requestsOnly = operations.filter(({ name }) => name !== 'openShell');

const titled = (list: typeof operations) =>
  list.map(operation => [`${operation.method} ${operation.path}`, operation] as const);

it('the documents contain every route that the contracts declare', () => {
  const documented = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  expect([...declaredRoutes().keys()].filter(route => !documented.has(route))).toEqual([]);
});

describe('every credential gets the response of the declared access, for own, foreign and unknown resources', () => {
  it.each(titled(requestsOnly))('%s', async (_, operation) => {
    const cells = matrix.cellsOf(operation, credentials);
    const problems = await inParallel(cells, cell => matrix.problemOf(cell));
    expect(problems.filter(problem => problem !== undefined)).toEqual([]);
  });
});

it('an answer that differs from the declared access is reported', async () => {
  const operation = operations.find(({ name }) => name === 'EmailServices.get')!;
  const credential = credentials.find(({ name }) => name === 'the session of another user')!;
  const forOperators: Operation = { ...operation, access: 'operator', operatorsOnly: true };
  expect(await matrix.problemOf({ operation: forOperators, credential, owners: [neighbour] })).toMatch(
    /forbidden, got 200/,
  );
  expect(await matrix.problemOf({ operation, credential, owners: [neighbour] })).toBeUndefined();
});

it('none of the refused requests has changed anything', async () => {
  expect(await stateOf(matrix, operations, neighbour)).toEqual(stateBefore.neighbour);
  expect(await stateOf(matrix, operations, owner)).toEqual(stateBefore.owner);
});

describe('the owner reaches their own resources with every write', () => {
  const writes = operations.filter(operation => !isRead(operation) && WRITERS[operation.access] !== undefined);
  const deletesLast = (operation: Operation) => (operation.method === 'DELETE' ? 100 : 0) - operation.path.length;
  const ordered = [...writes].sort((a, b) => deletesLast(a) - deletesLast(b));
  const trees = new Map(['/api', '/dashboard', '/emails', OPERATORS].map(base => [base, resourcesOf(owner)] as const));
  // Scheduled messages and listeners belong to the service of the key.
  for (const base of ['/scheduled-emails', '/webhook-listeners']) trees.set(base, resources.get(owner)!);

  it.each(titled(ordered))('%s', async (_, operation) => {
    const base = operation.operatorsOnly ? OPERATORS : `/${operation.path.split('/')[1]}`;
    // An invitation that was accepted cannot be declined.
    const tree = operation.name === 'Invitations.decline' ? undefined : trees.get(base);
    const [credential] = credentials.filter(({ name, operator }) =>
      operation.operatorsOnly ? operator : name === WRITERS[operation.access],
    );
    const own = new Matrix(baseUrl, operations, new Map([[owner, tree ?? resourcesOf(owner)]]));
    const owners = placesOf(operation, operations).map(() => owner);
    expect(await own.problemOfAdmitted({ operation, credential: await renewed(credential!), owners })).toBeUndefined();
  });
});

/** Creates a new session of the owner if it ended, which some operations do: it also creates the resources of other credentials. */
const renewed = async (credential: Credential): Promise<Credential> => {
  if (credential.user !== owner) return credential;
  const { status } = await owner.call('GET', '/dashboard/api/me');
  if (status === 401) owner.token = await owner.newSession();
  return credential.kind === 'session'
    ? { ...credential, headers: { authorization: `Bearer ${owner.token}` } }
    : credential;
};

/** Limits the concurrency, because Postern runs on the same machine. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += 12)
    results.push(...(await Promise.all(items.slice(start, start + 12).map(work))));
  return results;
}
