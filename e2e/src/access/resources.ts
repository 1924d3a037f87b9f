import { waitFor } from '@postern/testing';
import type { Operation } from './operations.js';
import { bodyOf } from './samples.js';
import type { TestUser } from './test-user.js';

/** A part of a request that names a resource: a path parameter, or a field of the body such as `project_id`. */
export interface Place {
  readonly name: string;
  readonly in: 'path' | 'body';
  /** The path of the collection that the resource belongs to, in the dashboard API. */
  readonly collection: string;
}

const DASHBOARD = '/dashboard/api';

/** Fields that name no resource of a user. */
const NO_RESOURCE = new Set(['path', 'file', 'token']);

/** Every place of an operation, parents first. */
export const placesOf = (operation: Operation, operations: readonly Operation[]): readonly Place[] => {
  const inPath = operation.pathParameters
    .filter(name => !NO_RESOURCE.has(name))
    .map(name => ({ name, in: 'path' as const, collection: collectionOf(operation.path, name) }));
  const inBody = Object.entries(operation.body?.properties ?? {})
    .filter(([name, { format }]) => name.endsWith('_id') && format === 'uuid')
    .map(([name]) => ({ name, in: 'body' as const, collection: topLevelCollection(name, operations) }));
  return [...inPath, ...inBody];
};

const collectionOf = (path: string, parameter: string): string =>
  path.slice(0, path.indexOf(`/{${parameter}}`)).replace(/^\/api\/v1/, DASHBOARD);

const topLevelCollection = (name: string, operations: readonly Operation[]): string => {
  const found = operations.find(({ path }) => path.endsWith(`/{${name}}`) && path.match(/\{/g)?.length === 1);
  return found ? collectionOf(found.path, name) : `${DASHBOARD}/${name.replace(/_id$/, 's')}`;
};

/**
 * The resources of one user, created on first use by the operations of the API: by POST to their collection, or from its
 * list where they cannot be created, such as the messages of a service.
 */
export class Resources {
  private readonly ids = new Map<string, Promise<string>>();

  constructor(
    readonly user: TestUser,
    private readonly operations: readonly Operation[],
  ) {
    this.ids.set(`${DASHBOARD}/workspaces`, Promise.resolve(user.workspaceId));
    this.ids.set(`${DASHBOARD}/users`, Promise.resolve(user.id));
  }

  idOf(place: Place): Promise<string> {
    if (place.collection === '/emails') return this.idOf({ ...place, name: 'email_id', collection: MESSAGES });
    const id = this.ids.get(place.collection) ?? this.make(place);
    this.ids.set(place.collection, id);
    return id;
  }

  private async make({ name, collection }: Place): Promise<string> {
    const path = await this.filled(collection);
    const post = this.find('POST', collection);
    const item = post ? await this.create(post, path) : await this.listed(collection, path);
    const id = item[name] ?? item['id'];
    if (typeof id !== 'string') throw new Error(`${collection} has no ${name}: ${JSON.stringify(item)}`);
    await this.prepare(collection, `${path}/${id}`);
    return id;
  }

  private async create(post: Operation, path: string): Promise<Record<string, unknown>> {
    const { status, body, json } = await this.user.call('POST', path, await this.body(post));
    if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${body}`);
    return json;
  }

  private async listed(collection: string, path: string): Promise<Record<string, unknown>> {
    if (!this.find('GET', collection)) throw new Error(`Nothing tells how a resource in ${collection} comes to be.`);
    return waitFor(
      async () => {
        const { json } = await this.user.call('GET', path);
        return [Array.isArray(json) ? json : json['items']].flat()[0] as Record<string, unknown> | undefined;
      },
      { timeoutMs: 20_000, intervalMs: 100, describe: `an item in ${path}` },
    );
  }

  /** A body in which every place names a resource of the user. */
  private async body(operation: Operation): Promise<object | undefined> {
    const inBody = placesOf(operation, this.operations).filter(place => place.in === 'body');
    const ids = await Promise.all(inBody.map(async place => [place.name, await this.idOf(place)] as const));
    return bodyOf(operation, { ...this.user.known(), ...Object.fromEntries(ids) });
  }

  /** The path with the ids of the user's resources in the place of its parameters. */
  private async filled(path: string): Promise<string> {
    let filled = path;
    for (const [parameter, name = ''] of path.matchAll(/\{(\w+)\}/g))
      filled = filled.replace(parameter, await this.idOf({ name, in: 'path', collection: collectionOf(path, name) }));
    return filled;
  }

  private find(method: string, path: string): Operation | undefined {
    return this.operations.find(operation => operation.method === method && operation.path === path);
  }

  /** What makes the lists of a new resource non-empty. */
  private async prepare(collection: string, path: string): Promise<void> {
    if (collection === `${DASHBOARD}/email-services`) await this.sendBouncingEmail(path);
    if (collection.endsWith('/webhooks')) await this.user.call('POST', `${path}/test`, { event: 'delivered' });
  }

  private async sendBouncingEmail(path: string): Promise<void> {
    await this.user.call('POST', `${path}/recipients/me`);
    const { json } = await this.user.call('POST', `${path}/api-keys`, { name: 'matrix' });
    const email = { from: 'shop@shop.test', to: [this.user.email], subject: 'Matrix', text: 'Matrix' };
    const { status, body } = await this.user.call('POST', '/emails', email, { 'api-key': String(json['key']) });
    if (status !== 200) throw new Error(`The email was answered with ${status}: ${body}`);
  }
}

const MESSAGES = `${DASHBOARD}/email-services/{service_id}/emails`;
