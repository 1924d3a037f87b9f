import { Mailbox } from '../mailbox.js';
import { type Operation, operationsOf } from './operations.js';
import { PREPARATIONS, type Preparation, Setup } from './preparations.js';
import { type Place, placesOf, Resources } from './resources.js';
import { TestUser } from './test-user.js';

/** An operation with the id of a real resource for each place, and a body that is accepted once. */
export interface PreparedOperation {
  readonly method: string;
  readonly path: string;
  readonly ids: readonly (Pick<Place, 'name' | 'in'> & { readonly id: string })[];
  readonly body: object | undefined;
  /** The session for the call, if not the operator's. */
  readonly sessionToken: string | undefined;
}

/** What calls of the operations need: a resource for every place, and a credential for every access. */
export interface PreparedWorkspace {
  readonly operations: readonly Pick<Operation, 'method' | 'path'>[];
  readonly sessionToken: string;
  readonly platformKey: string;
  readonly apiKey: string;
  /**
   * Prepares the matching operations. Some bodies are accepted for a minute only, and calls of other operations change some
   * ids, so call it just before use.
   */
  prepare(fits: (operation: Pick<Operation, 'path'>) => boolean): Promise<readonly PreparedOperation[]>;
}

/** Sufficient for all resources that the calls create. */
const QUOTAS = { web_services: 10_000, instances: 10_000, memory_mib: 10_000_000, disk_mib: 10_000_000 };

/**
 * Creates the resources of the operations of both documents in the workspace of an operator. Operations that change or
 * delete a whole resource get their own, so that the others remain usable.
 */
export const prepareWorkspace = async (
  {
    baseUrl,
    mailboxUrl,
    operator: credentials,
  }: {
    readonly baseUrl: string;
    readonly mailboxUrl: string;
    readonly operator: { readonly email: string; readonly password: string };
  },
  receiverUrl: string,
): Promise<PreparedWorkspace> => {
  const operator = await TestUser.signIn(baseUrl, 'operator', credentials, receiverUrl);
  const quotas = await operator.call('PATCH', `/dashboard/api/workspaces/${operator.workspaceId}/quotas`, QUOTAS);
  if (quotas.status !== 200) throw new Error(`The quotas were answered with ${quotas.status}: ${quotas.body}`);
  const newUser = () => TestUser.create(baseUrl, operator.token, 'newcomer', receiverUrl);
  const other = await newUser();
  const operations = await operationsOf(baseUrl);
  const resources = new Resources(operator, operations, newUser, { '/dashboard/api/users': other.id });
  for (const operation of operations) for (const place of placesOf(operation, operations)) await resources.idOf(place);
  const setup = new Setup(operator, resources, new Mailbox(mailboxUrl), receiverUrl);

  const prepareOne = async (operation: Operation): Promise<PreparedOperation> => {
    const { method, path } = operation;
    const special: Preparation = (await PREPARATIONS[`${method} ${path}`]?.(setup)) ?? {};
    const places = placesOf(operation, operations);
    const ids: { name: string; in: Place['in']; id: string }[] = [];
    for (const place of places) {
      const own = isConsumed(operation) && place === places.filter(one => one.in === 'path').at(-1);
      const id =
        special.ids?.[place.name] ??
        (isOfOther(operation) ? other.workspaceId : await (own ? resources.another(place) : resources.idOf(place)));
      ids.push({ name: place.name, in: place.in, id });
    }
    const named = Object.fromEntries(ids.filter(one => one.in === 'body').map(({ name, id }) => [name, id]));
    const sample = special.body ?? (await resources.body(operation));
    const body = sample && { ...sample, ...named };
    return { method, path, ids, body, sessionToken: special.user?.token };
  };
  const service = await resources.idOf({ name: 'service_id', in: 'path', collection: '/dashboard/api/email-services' });
  return {
    operations,
    sessionToken: operator.token,
    platformKey: await keyOf(operator, '/platform-keys', { scope: 'write' }),
    apiKey: await keyOf(operator, `/email-services/${service}/api-keys`),
    prepare: async fits => {
      const prepared: PreparedOperation[] = [];
      for (const operation of operations.filter(fits)) prepared.push(await prepareOne(operation));
      return prepared;
    },
  };
};

/** Whether calls make a resource unusable for others: deleted, disabled or blocked. */
const isConsumed = ({ method, operatorsOnly }: Operation): boolean =>
  method === 'DELETE' || method === 'PATCH' || operatorsOnly;

/** Lowered quotas would prevent other operations from creating their resources. */
const isOfOther = ({ path, method }: Operation): boolean =>
  method === 'PATCH' && path.endsWith('/workspaces/{id}/quotas');

const keyOf = async (user: TestUser, path: string, more: object = {}): Promise<string> => {
  const { json, status, body } = await user.call('POST', `/dashboard/api${path}`, { name: 'prepared', ...more });
  if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${body}`);
  return String(json['key']);
};
