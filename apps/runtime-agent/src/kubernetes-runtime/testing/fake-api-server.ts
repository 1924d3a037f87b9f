import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { RESOURCES } from '../objects/kinds.js';
import type { AnyObject, Json } from './any-object.js';
import { FakeControllers } from './fake-controllers.js';
import { applied, mergePatch, type Ownership } from './server-side-apply.js';

/** Serves `pods/<name>/log`, as the kubelet does for the API server. */
export type ServeLog = (pod: string, query: URLSearchParams, response: ServerResponse) => void;

const KINDS = new Map(
  Object.entries(RESOURCES).map(([kind, { apiVersion, plural }]) => [`${apiVersion}/${plural}`, { kind, apiVersion }]),
);

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The subset of kube-apiserver and its controllers that the platform needs, without schemas, permissions and watches.
 * `k8s/check` runs the same suite against real components.
 */
export class FakeApiServer {
  readonly #objects = new Map<string, AnyObject>();
  readonly #ownership = new Map<string, Ownership>();
  readonly #controllers = new FakeControllers(this);
  serveLog: ServeLog = (_, __, response) => response.writeHead(404).end('{}');

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeApiServer> {
    const server = createServer();
    const api = new FakeApiServer(server);
    server.on('request', (request, response) => void api.#answer(request, response));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get kubeconfig(): string {
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'here', cluster: { server: this.url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'nobody', user: {} }],
      contexts: [{ name: 'here', context: { cluster: 'here', user: 'nobody' } }],
      'current-context': 'here',
    });
  }

  async stop(): Promise<void> {
    this.#controllers.stop();
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  list(kind: string): AnyObject[] {
    return [...this.#objects.values()].filter(object => object.kind === kind);
  }

  find(kind: string, name: string): AnyObject | undefined {
    return this.#objects.get(`${kind} ${name}`);
  }

  /** Stores a changed object, and triggers the controllers. */
  put(object: AnyObject): AnyObject {
    const key = `${object.kind} ${object.metadata.name}`;
    const before = this.#objects.get(key);
    const isChanged = JSON.stringify(before?.spec) !== JSON.stringify(object.spec);
    const generation = (before?.metadata.generation ?? 0) + (isChanged ? 1 : 0);
    const made = {
      uid: before?.metadata.uid ?? randomUUID(),
      creationTimestamp: before?.metadata.creationTimestamp ?? new Date().toISOString(),
      generation,
    };
    const stored = { ...object, metadata: { ...object.metadata, ...made } };
    this.#objects.set(key, stored);
    this.#controllers.schedule();
    return stored;
  }

  /** Pods with a process are only marked for deletion; they are deleted when their kubelet reports that they have ended. */
  delete(kind: string, name: string, graceSeconds?: number): void {
    const object = this.find(kind, name);
    if (!object) throw new Refusal(404, `${kind} ${name} not found`);
    const isBound = kind === 'Pod' && object.spec?.['nodeName'] !== undefined;
    const hasEnded = ['Succeeded', 'Failed'].includes(String(object.status?.['phase']));
    if (isBound && !hasEnded && graceSeconds !== 0) {
      const { metadata } = object;
      if (metadata.deletionTimestamp) return;
      this.put({ ...object, metadata: { ...metadata, deletionTimestamp: new Date().toISOString() } });
      return;
    }
    this.#objects.delete(`${kind} ${name}`);
    this.#ownership.delete(`${kind} ${name}`);
    this.#controllers.schedule();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://here');
    try {
      const path = /^\/apis?\/((?:[^/]+\/)?v[^/]+)\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(
        url.pathname,
      );
      const [, apiVersion = '', plural = '', name, sub] = path ?? [];
      const resource = KINDS.get(`${apiVersion}/${plural}`);
      if (!resource) throw new Refusal(404, `the server could not find the requested resource ${url.pathname}`);
      if (sub === 'log') {
        if (!this.find('Pod', name ?? '')) throw new Refusal(404, `pods "${name}" not found`);
        this.serveLog(name ?? '', url.searchParams, response);
        return;
      }
      const hasBody = request.method === 'POST' || request.method === 'PATCH' || request.method === 'PUT';
      const body = hasBody ? ((await json(request)) as AnyObject) : undefined;
      const answer = this.#execute(request, { ...resource, name, sub, body }, url.searchParams);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500;
      const message = error instanceof Error ? error.message : String(error);
      const answer = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }
  }

  #execute({ method, headers }: IncomingMessage, order: Order, query: URLSearchParams): unknown {
    const { kind, apiVersion, name, sub, body } = order;
    if (name === undefined) {
      if (method === 'GET') return { kind: `${kind}List`, apiVersion, items: this.#select(kind, query) };
      if (method === 'POST' && body) return this.put({ ...body, kind, apiVersion });
      throw new Refusal(405, `${method} of all is not known here`);
    }
    const found = this.find(kind, name);
    if (method === 'PATCH' && headers['content-type'] === 'application/apply-patch+yaml' && body)
      return this.#apply(order, body, query.get('fieldManager'));
    if (!found) throw new Refusal(404, `${kind} "${name}" not found`);
    if (method === 'GET') return found;
    if (method === 'DELETE') {
      const grace = query.get('gracePeriodSeconds');
      this.delete(kind, name, grace === null ? undefined : Number(grace));
      return found;
    }
    if (method === 'POST' && sub === 'binding' && body)
      return this.put({ ...found, spec: { ...found.spec, nodeName: (body['target'] as Json)['name'] } });
    if (method === 'PATCH') return this.put(mergePatch(found, body) as AnyObject);
    throw new Refusal(405, `${method} is not known here`);
  }

  #apply({ kind, apiVersion, name = '' }: Order, configuration: AnyObject, manager: string | null): AnyObject {
    if (!manager) throw new Refusal(400, 'fieldManager is required for apply patch');
    if (configuration.kind !== kind || configuration.apiVersion !== apiVersion || configuration.metadata.name !== name)
      throw new Refusal(400, 'the object does not match the path');
    const key = `${kind} ${name}`;
    const before = this.find(kind, name);
    const ownership = this.#ownership.get(key) ?? new Map();
    this.#ownership.set(key, ownership);
    const after = applied(before, ownership, manager, configuration as unknown as Json) as unknown as AnyObject;
    if (before?.['immutable'] && JSON.stringify(before['data']) !== JSON.stringify(after['data']))
      throw new Refusal(422, `${kind} "${name}" is invalid: data: field is immutable when \`immutable\` is set`);
    if (kind === 'Deployment') return this.put({ ...after, spec: { replicas: 1, ...after.spec } });
    return this.put(after);
  }

  #select(kind: string, query: URLSearchParams): AnyObject[] {
    const wanted = (query.get('labelSelector') ?? '').split(',').filter(Boolean);
    const fields = (query.get('fieldSelector') ?? '').split(',').filter(Boolean);
    return this.list(kind).filter(
      object =>
        wanted.every(part => {
          const [label = '', value] = part.split('=');
          const has = object.metadata.labels?.[label];
          return value === undefined ? has !== undefined : has === value;
        }) &&
        fields.every(part => {
          const [path = '', value] = part.split('=');
          return (
            path.split('.').reduce<unknown>((inner, step) => (inner as Json | undefined)?.[step], object) === value
          );
        }),
    );
  }
}

interface Order {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string | undefined;
  readonly sub: string | undefined;
  readonly body: AnyObject | undefined;
}
