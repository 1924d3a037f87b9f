import { waitFor } from '@postern/testing';
import { Repository, webApp } from '../platform/repository.js';
import type { Operation } from './operations.js';
import { bodyOf } from './samples.js';
import type { TestUser } from './test-user.js';

/** A part of a request that names a resource: a path parameter, or a body field such as `project_id`. */
export interface Place {
  readonly name: string;
  readonly in: 'path' | 'body';
  /** The path of the resource's collection in the dashboard API. */
  readonly collection: string;
}

const DASHBOARD = '/dashboard/api';

/** Parameters that do not name a resource of a user. */
const NO_RESOURCE = new Set(['path', 'file', 'token']);

/** All places of an operation, parents first. */
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
 * The resources of one user, created on first use through the API: by POST to their collection, or from its list if they
 * cannot be created, such as the messages of a service.
 */
export class Resources {
  private readonly ids = new Map<string, Promise<string>>();
  /** Number for the fields that must be unique within a list. */
  private fields = 0;

  constructor(
    readonly user: TestUser,
    private readonly operations: readonly Operation[],
    /** A new user, who can be invited to a workspace and can invite others. */
    private readonly newcomer: () => Promise<TestUser>,
    /** By path of the collection. */
    known: Readonly<Record<string, string>> = {},
    /** Creates what only operators can create. */
    private readonly operator: TestUser = user,
  ) {
    this.ids.set(`${DASHBOARD}/workspaces`, Promise.resolve(user.workspaceId));
    this.ids.set(`${DASHBOARD}/users`, Promise.resolve(user.id));
    for (const [collection, id] of Object.entries(known)) this.ids.set(collection, Promise.resolve(id));
  }

  idOf(place: Place): Promise<string> {
    if (place.collection === '/emails' || place.collection === `${DASHBOARD}/emails`)
      return this.idOf({ ...place, name: 'email_id', collection: MESSAGES });
    if (place.collection === '/scheduled-emails') return this.idOf({ ...place, collection: SCHEDULED_EMAILS });
    if (place.collection === '/webhook-listeners') return this.idOf({ ...place, collection: WEBHOOK_LISTENERS });
    const id = this.ids.get(place.collection) ?? this.make(place);
    this.ids.set(place.collection, id);
    return id;
  }

  /** Another resource of the collection, safe to delete; the same one if no other can be created. */
  async another(place: Place): Promise<string> {
    const post = this.find('POST', place.collection);
    const made = post && (await this.create(post, await this.filled(place.collection)).catch(() => undefined));
    const id = made?.[place.name] ?? made?.['id'];
    return typeof id === 'string' ? id : this.idOf(place);
  }

  private async make({ name, collection }: Place): Promise<string> {
    if (collection === `${DASHBOARD}/invitations`) return this.invitation();
    const path = await this.filled(collection);
    if (collection.endsWith('/runs')) await this.deploy(path.split('/').at(-2)!);
    if (collection.endsWith('/disk/backups'))
      await this.user.call('PATCH', `${DASHBOARD}/web-services/${path.split('/').at(-3)}`, ONE_WITH_DISK);
    const post = this.find('POST', collection);
    const made = post && (await this.create(post, path));
    const put = collection.endsWith('/files') ? this.find('PUT', collection) : undefined;
    if (put) await this.user.call('PUT', path, await this.body(put));
    // If the response to POST has no name, the list has it.
    const item = made && (made[name] ?? made['id']) !== undefined ? made : await this.listed(collection, path);
    const id = item[name] ?? item['id'];
    if (typeof id !== 'string') throw new Error(`${collection} has no ${name}: ${JSON.stringify(item)}`);
    await this.prepare(collection, `${path}/${id}`);
    return id;
  }

  /** The id of an invitation of the user, by a newcomer. */
  private async invitation(): Promise<string> {
    const inviter = await this.newcomer();
    const path = `${DASHBOARD}/workspaces/${inviter.workspaceId}/members`;
    const { status, body, json } = await inviter.call('POST', path, { email: this.user.email, role: 'viewer' });
    if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${body}`);
    return String(json['id']);
  }

  private async create(post: Operation, path: string): Promise<Record<string, unknown>> {
    const caller = post.operatorsOnly ? this.operator : this.user;
    const { status, body, json } = await caller.call('POST', path, await this.body(post));
    if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${body}`);
    return json;
  }

  /** Fields that must be unique within a list. */
  private async uniqueFields({ method, path }: Operation): Promise<Record<string, string | undefined>> {
    if (method !== 'POST') return {};
    const number = ++this.fields;
    if (path.endsWith('/members')) return { email: (await this.newcomer()).email };
    if (path.endsWith('/attachments')) return { variable: `DATABASE_${number}_URL` };
    if (path.endsWith('/cron-jobs')) return { name: `job-${number}` };
    if (path.endsWith('/env') || path.endsWith('/secrets')) return { key: `KEY_${number}` };
    // For all services: the one of the owner may be deleted by now.
    if (path.endsWith('/management-keys')) return { service_id: undefined };
    if (path.endsWith('/provider-endpoints')) return { kind: 'postmark', password: undefined };
    // The message of the user has another reply than the example.
    if (path.endsWith('/bounce-rules')) return { phrase: `rejected by policy ${number}`, email_id: undefined };
    if (path.endsWith('/templates')) return { name: `template-${number}` };
    if (path.endsWith('/domains')) return { domain: `matrix-${number}.example.com` };
    return {};
  }

  private async listed(collection: string, path: string): Promise<Record<string, unknown>> {
    if (!this.find('GET', collection)) throw new Error(`No operation creates a resource in ${collection}.`);
    return waitFor(
      async () => {
        const { json } = await this.user.call('GET', path);
        return [Array.isArray(json) ? json : json['items']].flat()[0] as Record<string, unknown> | undefined;
      },
      { timeoutMs: 20_000, intervalMs: 100, describe: `an item in ${path}` },
    );
  }

  /** A body in which every place names a resource of the user; undefined if the operation has no body. */
  async body(operation: Operation): Promise<object | undefined> {
    const inBody = placesOf(operation, this.operations).filter(place => place.in === 'body');
    const ids = await Promise.all(inBody.map(async place => [place.name, await this.idOf(place)] as const));
    const sample = bodyOf(operation, { ...this.user.known(), ...Object.fromEntries(ids) });
    return sample && { ...sample, ...(await this.uniqueFields(operation)) };
  }

  /** The path with its parameters replaced by the ids of the user's resources. */
  private async filled(path: string): Promise<string> {
    let filled = path;
    for (const [parameter, name = ''] of path.matchAll(/\{(\w+)\}/g))
      filled = filled.replace(parameter, await this.idOf({ name, in: 'path', collection: collectionOf(path, name) }));
    return filled;
  }

  private find(method: string, path: string): Operation | undefined {
    return this.operations.find(operation => operation.method === method && operation.path === path);
  }

  /** Makes the lists of a new resource non-empty. */
  private async prepare(collection: string, path: string): Promise<void> {
    if (collection === `${DASHBOARD}/email-services`) await this.sendBouncingEmail(path);
    if (collection === `${DASHBOARD}/databases`) await this.untilRunning(path);
    if (collection.endsWith('/runs'))
      await waitFor(async () => (await this.user.call('GET', path)).json['finished_at'] !== null, {
        timeoutMs: 60_000,
      });
    if (collection.endsWith('/webhooks')) await this.user.call('POST', `${path}/test`, { event: 'delivered' });
  }

  /** Backups and password changes need a running database. */
  private untilRunning(path: string): Promise<unknown> {
    const isRunning = async () => (await this.user.call('GET', path)).json['status'] === 'running' || undefined;
    return waitFor(isRunning, { timeoutMs: 60_000, intervalMs: 200, describe: `${path} to run` });
  }

  /** @returns the id of a new, running web service. */
  async deployedService(): Promise<string> {
    const id = await this.another({ name: 'web_service_id', in: 'path', collection: `${DASHBOARD}/web-services` });
    await this.deploy(id);
    return id;
  }

  /** Deploys a new repository; the caller removes the repository after the build has begun. */
  async startDeployment(service: string, buildCommand: string | null): Promise<Repository> {
    const path = `${DASHBOARD}/web-services/${service}`;
    const repository = Repository.create(webApp('one'));
    const settings = { git_repository_url: repository.url, build_command: buildCommand, branch: null };
    await this.user.call('PATCH', path, settings);
    await this.user.call('POST', `${path}/deployments`);
    return repository;
  }

  /** Only a web service with a release can run commands. */
  private async deploy(service: string): Promise<void> {
    const repository = await this.startDeployment(service, null);
    const path = `${DASHBOARD}/web-services/${service}`;
    const isRunning = async () => (await this.user.call('GET', path)).json['status'] === 'running';
    await waitFor(isRunning, { timeoutMs: 120_000, intervalMs: 200, describe: `${path} to run` });
    repository.remove();
  }

  private async sendBouncingEmail(path: string): Promise<void> {
    await this.user.call('POST', `${path}/recipients/me`);
    const { json } = await this.user.call('POST', `${path}/api-keys`, { name: 'matrix' });
    const email = { from: 'shop@shop.test', to: [this.user.email], subject: 'Matrix', text: 'Matrix' };
    const { status, body } = await this.user.call('POST', '/emails', email, { 'api-key': String(json['key']) });
    if (status !== 200) throw new Error(`The email was answered with ${status}: ${body}`);
    await this.scheduleEmail(String(json['key']));
  }

  /** @returns the id of a message that is sent tomorrow, by the service of the key. */
  async scheduleEmail(key: string): Promise<string> {
    const email = { from: 'shop@shop.test', to: [this.user.email], subject: 'Matrix', text: 'Matrix' };
    const send_at = new Date(Date.now() + 86_400_000).toISOString();
    const scheduled = { send_at, email };
    const { status, body, json } = await this.user.call('POST', '/scheduled-emails', scheduled, { 'api-key': key });
    if (status !== 201) throw new Error(`The scheduled email was answered with ${status}: ${body}`);
    return String(json['id']);
  }
}

/** A web service with a disk has one instance. */
export const ONE_WITH_DISK = { disk: { size_mib: 16 }, min_instances: 1, max_instances: 1 };
const WEBHOOK_LISTENERS = `${DASHBOARD}/email-services/{service_id}/webhook-listeners`;
const SCHEDULED_EMAILS = `${DASHBOARD}/email-services/{service_id}/scheduled-emails`;
const MESSAGES = `${DASHBOARD}/email-services/{service_id}/emails`;
