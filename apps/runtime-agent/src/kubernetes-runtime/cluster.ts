import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, fetch, type Response } from 'undici';
import { type KubernetesObject, RESOURCES, type Verb } from './objects/kinds.js';

/** The field manager of the objects that the platform applies. */
export const MANAGER = 'postern';

export type Kind = keyof typeof RESOURCES;

export interface ObjectName {
  readonly kind: Kind;
  readonly name: string;
}

export interface LogOptions {
  readonly container: string;
  readonly previous?: boolean;
  readonly tailLines?: number;
  /** RFC 3339; the earliest time of the lines. */
  readonly sinceTime?: string;
  readonly limitBytes?: number;
  /** Prefixes each line with its time; messages that the kubelet returns in place of a missing log have no time. */
  readonly timestamps?: boolean;
}

/** The API server refused the request, or failed. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * One namespace of a cluster. Objects are sent as plain JSON: a typed client for one release of Kubernetes would drop
 * fields of other releases.
 */
export class Cluster {
  #configuration: Promise<KubeConfig> | undefined;
  #dispatcher: { readonly agent: Agent; readonly identity: string } | undefined;

  /** @param kubeconfig its text; otherwise `KUBECONFIG`, the user's file, or the pod's service account, in this order. */
  constructor(
    readonly namespace: string,
    private readonly kubeconfig?: string,
    private readonly timeoutMs = 30_000,
  ) {}

  /** Server-side apply: removes fields that this manager applied before and omits now; keeps fields of other managers. */
  async apply<T extends KubernetesObject>(object: T, manager = MANAGER): Promise<T> {
    const path = this.#path('patch', object.kind as Kind, object.metadata.name);
    const type = 'application/apply-patch+yaml';
    return this.#json<T>('PATCH', path, { fieldManager: manager, force: 'true' }, { type, content: object });
  }

  async merge<T extends KubernetesObject>({ kind, name }: ObjectName, content: object): Promise<T> {
    const type = 'application/merge-patch+json';
    return this.#json<T>('PATCH', this.#path('patch', kind, name), { fieldManager: MANAGER }, { type, content });
  }

  async find<T extends KubernetesObject>({ kind, name }: ObjectName): Promise<T | undefined> {
    return undefinedIfNotFound(this.#json<T>('GET', this.#path('get', kind, name), {}));
  }

  /** @param selector of labels, such as `a=b,c`. */
  async list<T extends KubernetesObject>(kind: Kind, selector: string, fields?: string): Promise<readonly T[]> {
    const query = { labelSelector: selector, ...(fields && { fieldSelector: fields }) };
    const { items } = await this.#json<{ items: T[] }>('GET', this.#path('list', kind), query);
    // Items of a list lack the kind and the API version.
    return items.map(item => ({ ...item, kind, apiVersion: RESOURCES[kind].apiVersion }));
  }

  /** Deletes the object, and its dependents in the background. Succeeds if the object does not exist. */
  async remove({ kind, name }: ObjectName): Promise<void> {
    await undefinedIfNotFound(
      this.#json('DELETE', this.#path('delete', kind, name), { propagationPolicy: 'Background' }),
    );
  }

  async log(pod: string, options: LogOptions): Promise<string> {
    const response = await this.#request('GET', this.#path('get', 'PodLog', pod), logQuery(options));
    return response.text();
  }

  /** Streams the log of a container, each line with its time; ends with the container or the signal. */
  async *followLog(pod: string, options: LogOptions, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const query = { ...logQuery({ ...options, timestamps: true }), follow: 'true' };
    const response = await this.#request('GET', this.#path('get', 'PodLog', pod), query, undefined, signal);
    if (response.body) yield* response.body;
  }

  protected allows(verb: Verb, kind: Kind): boolean {
    return (RESOURCES[kind].verbs as readonly Verb[]).includes(verb);
  }

  /** @throws if the kinds do not list this use: the Role of the charts would not allow it either. */
  #path(verb: Verb, kind: Kind, name?: string): string {
    const { apiVersion, plural } = RESOURCES[kind];
    if (!this.allows(verb, kind))
      throw new Error(`the platform may not ${verb} objects of the kind ${kind}: kinds.ts does not name it`);
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const [resource, part] = plural.split('/');
    const path = [resource, name, part].filter(word => word !== undefined).join('/');
    return `${group}/namespaces/${this.namespace}/${path}`;
  }

  async #json<T>(
    method: string,
    path: string,
    query: Readonly<Record<string, string>>,
    body?: { readonly type: string; readonly content: object },
  ): Promise<T> {
    const response = await this.#request(method, path, query, body, AbortSignal.timeout(this.timeoutMs));
    return (await response.json()) as T;
  }

  async #request(
    method: string,
    path: string,
    query: Readonly<Record<string, string>>,
    body?: { readonly type: string; readonly content: object },
    signal?: AbortSignal,
  ): Promise<Response> {
    const { server, headers, dispatcher } = await this.#access();
    const response = await fetch(`${server}${path}?${new URLSearchParams(query)}`, {
      method,
      dispatcher,
      headers: { ...headers, accept: 'application/json, */*', ...(body && { 'content-type': body.type }) },
      body: body ? JSON.stringify(body.content) : null,
      signal: signal ?? null,
    });
    if (response.ok) return response;
    const text = await response.text();
    throw new ClusterError(response.status, messageIn(text) ?? `Kubernetes answered ${response.status}`);
  }

  /** Evaluated for every request, because tokens rotate; connections are reused while the certificates stay the same. */
  async #access(): Promise<{ server: string; headers: Record<string, string>; dispatcher: Dispatcher }> {
    this.#configuration ??= configurationOf(this.kubeconfig);
    const configuration = await this.#configuration;
    const cluster = configuration.getCurrentCluster();
    if (!cluster) throw new Error('no Kubernetes cluster is configured: neither KUBECONFIG nor an account of a pod');
    const options: RequestOptions = {};
    await configuration.applyToHTTPSOptions(options);
    const { ca, cert, key, rejectUnauthorized } = options;
    const identity = [ca, cert, key].map(String).join('\n');
    if (this.#dispatcher?.identity !== identity) {
      const tls = { ca, cert, key, ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }) };
      // A followed log may be silent for any time.
      const agent = new Agent({ connect: tls as NonNullable<Agent.Options['connect']>, bodyTimeout: 0 });
      this.#dispatcher = { agent, identity };
    }
    const headers = Object.entries(options.headers ?? {}).map(([name, value]) => [name, String(value)] as const);
    return { server: cluster.server, headers: Object.fromEntries(headers), dispatcher: this.#dispatcher.agent };
  }
}

/** Loaded lazily: the client library is large, and only the Kubernetes runtime needs it. */
const configurationOf = async (text: string | undefined): Promise<KubeConfig> => {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const configuration = new KubeConfig();
  if (text === undefined) configuration.loadFromDefault();
  else configuration.loadFromString(text);
  return configuration;
};

const undefinedIfNotFound = <T>(request: Promise<T>): Promise<T | undefined> =>
  request.catch((error: unknown) => {
    if (error instanceof ClusterError && error.status === 404) return undefined;
    throw error;
  });

const logQuery = ({ container, previous, tailLines, ...options }: LogOptions): Record<string, string> => ({
  container,
  ...(previous && { previous: 'true' }),
  ...(tailLines !== undefined && { tailLines: String(tailLines) }),
  ...(options.sinceTime !== undefined && { sinceTime: options.sinceTime }),
  ...(options.limitBytes !== undefined && { limitBytes: String(options.limitBytes) }),
  ...(options.timestamps && { timestamps: 'true' }),
});

const messageIn = (text: string): string | undefined => {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
};
