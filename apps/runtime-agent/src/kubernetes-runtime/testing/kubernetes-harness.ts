import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutboundGuard } from '@postern/outbound';
import type { RuntimeHarness } from '@postern/runtime/testing';
import { GitRepository } from '@postern/runtime/testing';
import { fetch } from 'undici';
import { LogStore } from '../../local-runtime/logs/log-store.js';
import { redactor } from '../../local-runtime/redactor.js';
import { silentLog } from '../../local-runtime/testing/local-runtime-assembly.js';
import { assembleKubernetesRuntime, type KubernetesRuntimeOptions } from '../assemble-kubernetes-runtime.js';
import type { KubernetesRuntime } from '../kubernetes-runtime.js';
import { FakeNode, NodeApi } from './fake-node.js';
import { FakeRegistry } from './fake-registry.js';
import { fakeCluster, realCluster, type TestCluster } from './test-clusters.js';

/** The environment of a Kubernetes runtime: a cluster whose only node is a fake. */
export class KubernetesHarness implements RuntimeHarness {
  readonly countsTraffic = false;
  readonly #repositories: GitRepository[] = [];

  private constructor(
    private readonly folder: string,
    private readonly cluster: TestCluster,
    private readonly node: FakeNode,
    private readonly nodeApi: NodeApi,
    private readonly registry: FakeRegistry,
    private readonly options: KubernetesRuntimeOptions,
    private current: KubernetesRuntime,
  ) {}

  /** @param guard for the hosts of repositories; the runtime contract uses file repositories. */
  static async start(guard = new OutboundGuard({ allowPrivate: true })): Promise<KubernetesHarness> {
    const folder = await mkdtemp(join(tmpdir(), 'postern-kubernetes-'));
    await chmod(folder, 0o755);
    const file = process.env['POSTERN_TEST_CLUSTER'];
    const cluster = await (file === undefined ? fakeCluster() : realCluster(file));
    const registry = await FakeRegistry.start(join(folder, 'registry'));
    const nodeApi = new NodeApi(cluster.access, 'tenants');
    const node = new FakeNode(nodeApi, registry, join(folder, 'node'));
    await cluster.join(node, folder);
    node.start();
    const options = await optionsOf(folder, cluster.kubeconfig, registry, guard);
    const runtime = await assembleKubernetesRuntime(options);
    return new KubernetesHarness(folder, cluster, node, nodeApi, registry, options, runtime);
  }

  get kubeconfig(): string {
    return this.cluster.kubeconfig;
  }

  /** The tags in the registry. */
  get tags(): readonly string[] {
    return this.registry.tags;
  }

  /** Makes the registry refuse requests without these credentials. */
  requireCredentials(credentials: FakeRegistry['credentials']): void {
    this.registry.credentials = credentials;
  }

  get runtime(): KubernetesRuntime {
    return this.current;
  }

  async makeRepository(files: Readonly<Record<string, string>>): Promise<string> {
    const repository = await GitRepository.make(files);
    this.#repositories.push(repository);
    return repository.url;
  }

  /** Sends a request like a Service: to any ready instance. */
  async request(url: string): Promise<{ status: number; body: string }> {
    const { hostname, pathname } = new URL(url);
    const port = this.node.portOf(/^ws-([0-9a-f-]{36})\.tenants\.svc$/.exec(hostname)?.[1] ?? '');
    if (port === undefined) throw new Error(`nothing answers at ${url}`);
    const response = await fetch(`http://127.0.0.1:${port}${pathname}`);
    return { status: response.status, body: await response.text() };
  }

  async restart(): Promise<void> {
    await this.current.detach();
    this.current = await assembleKubernetesRuntime(this.options);
  }

  async killInstances(webServiceId: string): Promise<void> {
    this.node.killContainers(webServiceId);
  }

  async stop(): Promise<void> {
    await this.current.detach();
    await this.node.stop();
    await this.cluster.stop();
    await this.nodeApi.close();
    await this.registry.stop();
    await Promise.all(this.#repositories.map(repository => repository.remove()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

const optionsOf = async (
  folder: string,
  kubeconfig: string,
  { repository }: FakeRegistry,
  guard: OutboundGuard,
): Promise<KubernetesRuntimeOptions> => {
  const platformHome = join(folder, 'home');
  return {
    namespace: 'tenants',
    kubeconfig,
    platformHome,
    guard,
    logs: new LogStore(platformHome, redactor),
    mask: (text, secrets) => {
      const masking = redactor(secrets);
      return masking.push(text) + masking.end();
    },
    log: silentLog,
    pollMs: 100,
    minimumAgeMs: 0,
    services: {
      domain: undefined,
      scheme: 'http',
      ingressClass: undefined,
      gateway: undefined,
      nodeSelector: {},
      pullSecret: undefined,
      memoryMiB: 512,
      cpuMillicores: 1_000,
      drainSeconds: 1,
    },
    builds: {
      repository,
      insecureRegistry: true,
      baseImage: 'docker.io/library/node:24-bookworm-slim',
      builderImage: 'docker.io/moby/buildkit:rootless',
      registrySecret: undefined,
      basePullSecret: undefined,
      registryAuthorities: undefined,
      nodeSelector: {},
      memoryMiB: 2_048,
      cpuMillicores: 2_000,
      diskMiB: 10_240,
      allowFileRepositories: true,
    },
  };
};
