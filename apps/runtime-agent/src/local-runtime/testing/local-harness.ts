import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { controlSocket } from '@postern/load-balancer-client';
import { BalancerProcess, request } from '@postern/load-balancer-client/testing';
import { OutboundGuard } from '@postern/outbound';
import type { ServicePlan } from '@postern/runtime';
import type { Address, GuardedPort, LimitHarness, NeighbourHarness } from '@postern/runtime/testing';
import { GitRepository } from '@postern/runtime/testing';
import { freeBytes } from '../../infrastructure/disk.js';
import { assembleLocalRuntime, LIMITS } from '../assemble-local-runtime.js';
import { assembleLocalBuilds } from '../build/assemble-local-builds.js';
import { BUILD_LIMITS, type BuildLimits } from '../build/build-limits.js';
import { stopDatabases } from '../databases/stop-databases.js';
import { provisionDatabases } from '../databases/testing/provision-databases.js';
import type { InstanceLimits } from '../instances/instance-host.js';
import type { InstanceRecord } from '../instances/instance-record.js';
import { InstanceRecords } from '../instances/instance-records.js';
import { MarkedProcesses } from '../instances/marked-processes.js';
import type { LocalRuntime } from '../local-runtime.js';
import { redactor } from '../redactor.js';
import { existingNetworks } from '../sandbox/network/open-networks.js';
import { canCreateNetworks } from '../sandbox/network/testing/network-fixture.js';
import { stopEverything } from '../stop-everything.js';
import { KEPT_FRAMES } from './kept-frames.js';
import { silentLog } from './local-runtime-assembly.js';
import { MachineServers } from './machine-servers.js';
import { QUICK } from './quick-times.js';
import { testNetworks } from './test-networks.js';

interface HarnessLimits {
  readonly instances: InstanceLimits;
  readonly builds: BuildLimits;
}

/** The environment of a local runtime: repositories in folders, and the real load balancer. */
export class LocalHarness implements NeighbourHarness, LimitHarness {
  readonly countsTraffic = true;
  readonly #repositories: GitRepository[] = [];
  #databases: Promise<readonly GuardedPort[]> | undefined;

  private constructor(
    private readonly balancer: BalancerProcess,
    private readonly servers: MachineServers,
    private current: LocalRuntime,
    private readonly limits: HarnessLimits,
  ) {}

  static async start(limits: Partial<HarnessLimits> = {}): Promise<LocalHarness> {
    const balancer = await BalancerProcess.start();
    const servers = await MachineServers.start();
    const all = { instances: LIMITS, builds: BUILD_LIMITS, ...limits };
    return new LocalHarness(balancer, servers, await runtimeAt(balancer.home, servers.gatewayPort, all), all);
  }

  get tasks(): number {
    return this.limits.instances.tasks;
  }

  get diskMib(): number {
    return this.limits.instances.diskBytes / 2 ** 20;
  }

  get buildDiskMib(): number {
    return this.limits.builds.diskBytes / 2 ** 20;
  }

  async freeMib(): Promise<number> {
    return (await freeBytes(this.balancer.home)) / 2 ** 20;
  }

  get home(): string {
    return this.balancer.home;
  }

  get runtime(): LocalRuntime {
    return this.current;
  }

  async makeRepository(files: Readonly<Record<string, string>>): Promise<string> {
    const repository = await GitRepository.make(files);
    this.#repositories.push(repository);
    return repository.url;
  }

  async request(url: string): Promise<{ status: number; body: string }> {
    const { status, body } = await request(url);
    return { status, body };
  }

  async restart(): Promise<void> {
    await this.current.detach();
    this.current = await runtimeAt(this.balancer.home, this.servers.gatewayPort, this.limits);
  }

  async killInstances(webServiceId: string): Promise<void> {
    for (const record of await this.#recordsOf(webServiceId))
      if (record.process) process.kill(-record.process.pid, 'SIGKILL');
  }

  async privatePathsOf({ webServiceId, artefact }: ServicePlan): Promise<readonly string[]> {
    const { home } = this.balancer;
    const instances = (await this.#recordsOf(webServiceId)).map(({ id }) => id);
    return [
      join(home, 'artefacts', artefact.reference, 'tree/private.txt'),
      join(home, 'artefacts', artefact.reference),
      join(home, 'logs', webServiceId),
      join(home, 'load-balancer/routes.json'),
      ...instances.map(id => join(home, 'instances', id, 'tmp/private.txt')),
      ...instances.map(id => join(home, 'instances', id, 'record.json')),
      home,
    ];
  }

  async databasesOfAnother(): Promise<readonly GuardedPort[]> {
    this.#databases ??= provisionDatabases(this.balancer.home);
    return this.#databases;
  }

  async controlSockets(): Promise<readonly string[]> {
    const workers = join(this.balancer.home, 'load-balancer/workers');
    const names = (await readdir(workers)).filter(name => name.endsWith('.sock'));
    return [controlSocket(this.balancer.home), ...names.map(name => join(workers, name))];
  }

  async processesOf({ webServiceId }: ServicePlan): Promise<readonly number[]> {
    const marked = await new MarkedProcesses().scan();
    const records = await this.#recordsOf(webServiceId);
    return records.flatMap(({ id }) => (marked.get(id) ?? []).map(({ pid }) => pid));
  }

  get hasNetworks(): boolean {
    return canCreateNetworks;
  }

  get gatewayAnswer(): string {
    return this.servers.gatewayAnswer;
  }

  async addressesOf({ webServiceId }: ServicePlan): Promise<readonly Address[]> {
    const records = await this.#recordsOf(webServiceId);
    return records.flatMap(({ host = '127.0.0.1', port }) => (port === undefined ? [] : { host, port }));
  }

  async forbiddenAddresses(): Promise<readonly Address[]> {
    const networks = await existingNetworks(this.home);
    return this.servers.forbiddenAddresses(networks ? [networks.platformAddress] : []);
  }

  async #recordsOf(webServiceId: string): Promise<readonly InstanceRecord[]> {
    const records = await new InstanceRecords(this.balancer.home).list();
    return records.filter(record => record.webServiceId === webServiceId);
  }

  async stop(): Promise<void> {
    await this.current.detach();
    await stopDatabases(this.balancer.home);
    await stopEverything(this.balancer.home, 0, { sandboxFrames: KEPT_FRAMES });
    await (await existingNetworks(this.home))?.dismantle();
    this.servers.stop();
    // Only root removes files from the folders of artefacts otherwise.
    await promisify(execFile)('chmod', ['-R', 'u+w', this.home]);
    await this.balancer.stop();
    await Promise.all(this.#repositories.map(repository => repository.remove()));
  }
}

const runtimeAt = async (
  platformHome: string,
  gatewayPort: number,
  { instances, builds }: HarnessLimits,
): Promise<LocalRuntime> => {
  const parts = await assembleLocalBuilds({
    platformHome,
    network: await testNetworks(platformHome, gatewayPort),
    sandboxFrames: KEPT_FRAMES,
    allowFileRepositories: true,
    guard: new OutboundGuard({ allowPrivate: true }),
    instanceLimits: instances,
    limits: builds,
    log: silentLog,
    minimumAgeMs: 0,
  });
  return assembleLocalRuntime({ platformHome, redactor, log: silentLog, times: QUICK, limits: instances, ...parts });
};
