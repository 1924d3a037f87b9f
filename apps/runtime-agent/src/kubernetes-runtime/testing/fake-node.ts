import { Agent, fetch } from 'undici';
import type { AnyObject, Json } from './any-object.js';
import { podSpecOf } from './any-object.js';
import { FakePod } from './fake-pod.js';
import type { FakeRegistry } from './fake-registry.js';

export interface ApiAccess {
  readonly server: string;
  readonly token?: string;
  readonly ca?: string;
}

/** The API client of a kubelet, for one namespace. */
export class NodeApi {
  readonly #agent: Agent;
  readonly #base: string;

  constructor(
    private readonly access: ApiAccess,
    readonly namespace: string,
  ) {
    this.#agent = new Agent({ connect: access.ca ? { ca: access.ca } : {} });
    this.#base = `${access.server}/api/v1/namespaces/${namespace}`;
  }

  async send(method: string, path: string, body?: object): Promise<AnyObject & { readonly items?: AnyObject[] }> {
    const response = await fetch(path.startsWith('/api') ? `${this.access.server}${path}` : `${this.#base}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        ...(this.access.token && { authorization: `Bearer ${this.access.token}` }),
      },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as AnyObject;
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }
}

const METRICS_EVERY_MS = 1_000;

/**
 * A fake scheduler, kubelet and metrics server of one namespace, whose containers are processes of this machine. It
 * has no isolation, no pod network (each process gets its port as PORT), and short backoffs between restarts.
 */
export class FakeNode {
  readonly #pods = new Map<string, FakePod>();
  #isStopped = false;
  #loop: Promise<void> = Promise.resolve();
  #measuredAt = 0;

  constructor(
    private readonly api: NodeApi,
    private readonly registry: FakeRegistry,
    private readonly folder: string,
    readonly name = 'fake-node',
  ) {}

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop;
    await Promise.all([...this.#pods.values()].map(pod => pod.kill()));
  }

  /** The pod with its running container, or the last one that ran. */
  find(podName: string): FakePod | undefined {
    return [...this.#pods.values()].find(({ name }) => name === podName);
  }

  /** The port of a random ready instance of a service. */
  portOf(webServiceId: string): number | undefined {
    const ready = [...this.#pods.values()].filter(pod => pod.webServiceId === webServiceId && pod.isServing);
    return ready[Math.floor(Math.random() * ready.length)]?.port;
  }

  killContainers(webServiceId: string): void {
    for (const pod of this.#pods.values()) if (pod.webServiceId === webServiceId) pod.killContainer();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#reconcile().catch((error: unknown) => {
        if (!this.#isStopped) process.emitWarning(`the fake node: ${String(error)}`);
      });
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }

  async #reconcile(): Promise<void> {
    const { items = [] } = await this.api.send('GET', '/pods');
    for (const pod of items) {
      const { name, uid = '', deletionTimestamp } = pod.metadata;
      const known = this.#pods.get(uid);
      if (known) {
        if (deletionTimestamp) known.end();
      } else if (!podSpecOf(pod).nodeName && !deletionTimestamp) {
        const target = { apiVersion: 'v1', kind: 'Node', name: this.name };
        await this.api
          .send('POST', `/pods/${name}/binding`, { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target })
          .catch(() => {});
      } else if (podSpecOf(pod).nodeName === this.name) {
        const made = new FakePod(pod, this.api, this.registry, this.folder);
        this.#pods.set(uid, made);
        made.start();
        if (deletionTimestamp) made.end();
      }
    }
    const there = new Set(items.map(({ metadata }) => metadata.uid));
    for (const [uid, pod] of this.#pods)
      if (!there.has(uid)) {
        this.#pods.delete(uid);
        await pod.kill();
      }
    if (Date.now() - this.#measuredAt > METRICS_EVERY_MS) await this.#measure();
  }

  /** Publishes the objects of the metrics server. */
  async #measure(): Promise<void> {
    this.#measuredAt = Date.now();
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${this.api.namespace}/pods`;
    const { items = [] } = await this.api.send('GET', path);
    const measured = new Map(
      [...this.#pods.values()].flatMap(pod => (pod.isServing ? [[pod.name, pod] as const] : [])),
    );
    for (const { metadata } of items)
      if (!measured.has(metadata.name)) await this.api.send('DELETE', `${path}/${metadata.name}`);
    for (const [name, pod] of measured) {
      const usage: Json = await pod.usage();
      const body = {
        apiVersion: 'metrics.k8s.io/v1beta1',
        kind: 'PodMetrics',
        metadata: { name, labels: pod.labels },
        containers: [{ name: 'web', usage }],
      };
      const isKnown = items.some(({ metadata }) => metadata.name === name);
      await this.api.send(isKnown ? 'PATCH' : 'POST', isKnown ? `${path}/${name}` : path, body);
    }
  }
}
