import { type Operation, operationsOf } from './operations.js';
import { type Place, placesOf, Resources } from './resources.js';
import { TestUser } from './test-user.js';

/** An operation with the id of a real resource for each of its places. */
export interface PreparedOperation {
  readonly method: string;
  readonly path: string;
  readonly ids: readonly (Pick<Place, 'name' | 'in'> & { readonly id: string })[];
}

/** What calls of the operations need: a resource for every place, and a credential for every access. */
export interface PreparedWorkspace {
  readonly operations: readonly PreparedOperation[];
  readonly sessionToken: string;
  readonly platformKey: string;
  readonly apiKey: string;
}

/**
 * Creates in the workspace of an operator what the operations of both documents name. Operations that change or delete a
 * whole resource get one of their own, so that the others still find theirs.
 */
export const prepareWorkspace = async (
  baseUrl: string,
  credentials: { readonly email: string; readonly password: string },
  receiverUrl: string,
): Promise<PreparedWorkspace> => {
  const operator = await TestUser.signIn(baseUrl, 'operator', credentials, receiverUrl);
  const newUser = () => TestUser.create(baseUrl, operator.token, 'newcomer', receiverUrl);
  const other = await newUser();
  const operations = await operationsOf(baseUrl);
  const newcomer = async () => (await newUser()).email;
  const resources = new Resources(operator, operations, newcomer, { '/dashboard/api/users': other.id });
  for (const operation of operations) for (const place of placesOf(operation, operations)) await resources.idOf(place);
  const prepared: PreparedOperation[] = [];
  for (const operation of operations) {
    const places = placesOf(operation, operations);
    const ids: { name: string; in: Place['in']; id: string }[] = [];
    for (const place of places) {
      const own = isConsumed(operation) && place === places.filter(one => one.in === 'path').at(-1);
      const id = isOfOther(operation)
        ? other.workspaceId
        : await (own ? resources.another(place) : resources.idOf(place));
      ids.push({ name: place.name, in: place.in, id });
    }
    prepared.push({ method: operation.method, path: operation.path, ids });
  }
  const service = await resources.idOf({ name: 'service_id', in: 'path', collection: '/dashboard/api/email-services' });
  return {
    operations: prepared,
    sessionToken: operator.token,
    platformKey: await keyOf(operator, '/platform-keys', { scope: 'write' }),
    apiKey: await keyOf(operator, `/email-services/${service}/api-keys`),
  };
};

/** Whether calls leave a resource that others cannot use: deleted, disabled or blocked. */
const isConsumed = ({ method, operatorsOnly }: Operation): boolean =>
  method === 'DELETE' || method === 'PATCH' || operatorsOnly;

/** Quotas of a few resources would keep the other operations from creating theirs. */
const isOfOther = ({ path, method }: Operation): boolean =>
  method === 'PATCH' && path.endsWith('/workspaces/{id}/quotas');

const keyOf = async (user: TestUser, path: string, more: object = {}): Promise<string> => {
  const { json, status, body } = await user.call('POST', `/dashboard/api${path}`, { name: 'prepared', ...more });
  if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${body}`);
  return String(json['key']);
};
