import { join } from 'node:path';
import { ask, BalancerProcess } from '@postern/load-balancer-client/testing';
import { OutboundGuard } from '@postern/outbound';
import type { ServicePlan } from '@postern/runtime';
import type { NeighbourHarness } from '@postern/runtime/testing';
import { GitRepository } from '@postern/runtime/testing';
import { assembleLocalRuntime, LIMITS } from '../assemble-local-runtime.js';
import { assembleLocalBuilds } from '../build/assemble-local-builds.js';
import { InstanceLedger } from '../instances/instance-ledger.js';
import type { LocalRuntime } from '../local-runtime.js';
import { redactor } from '../redactor.js';
import { stopEverything } from '../stop-everything.js';
import { QUICK, silentLog } from './local-runtime-assembly.js';

/** The world around a local runtime: repositories in folders, and the real load balancer. */
export class LocalHarness implements NeighbourHarness {
  readonly countsTraffic = true;
  readonly #repositories: GitRepository[] = [];

  private constructor(
    private readonly balancer: BalancerProcess,
    private current: LocalRuntime,
  ) {}

  static async start(): Promise<LocalHarness> {
    const balancer = await BalancerProcess.start();
    return new LocalHarness(balancer, await runtimeAt(balancer.home));
  }

  get runtime(): LocalRuntime {
    return this.current;
  }

  async makeRepository(files: Readonly<Record<string, string>>): Promise<string> {
    const repository = await GitRepository.make(files);
    this.#repositories.push(repository);
    return repository.url;
  }

  async ask(url: string): Promise<{ status: number; body: string }> {
    const { status, body } = await ask(url);
    return { status, body };
  }

  async restart(): Promise<void> {
    await this.current.detach();
    this.current = await runtimeAt(this.balancer.home);
  }

  async killInstances(webServiceId: string): Promise<void> {
    const records = await new InstanceLedger(this.balancer.home).list();
    for (const record of records)
      if (record.webServiceId === webServiceId && record.process) process.kill(-record.process.pid, 'SIGKILL');
  }

  async privatePathsOf({ webServiceId, artefact }: ServicePlan): Promise<readonly string[]> {
    const { home } = this.balancer;
    const records = await new InstanceLedger(home).list();
    const instances = records.filter(record => record.webServiceId === webServiceId).map(({ id }) => id);
    return [
      join(home, 'artefacts', artefact.reference, 'tree/recipe.txt'),
      join(home, 'artefacts', artefact.reference),
      join(home, 'logs', webServiceId),
      join(home, 'load-balancer/routes.json'),
      ...instances.map(id => join(home, 'instances', id, 'tmp/recipe.txt')),
      ...instances.map(id => join(home, 'instances', id, 'record.json')),
      home,
    ];
  }

  async stop(): Promise<void> {
    await this.current.detach();
    await stopEverything(this.balancer.home, 0);
    await this.balancer.stop();
    await Promise.all(this.#repositories.map(repository => repository.remove()));
  }
}

const runtimeAt = async (platformHome: string): Promise<LocalRuntime> => {
  const parts = await assembleLocalBuilds({
    platformHome,
    allowFileRepositories: true,
    guard: new OutboundGuard({ allowPrivate: true }),
    instanceLimits: LIMITS,
    log: silentLog,
    spareMs: 0,
  });
  return assembleLocalRuntime({ platformHome, redactor, log: silentLog, times: QUICK, ...parts });
};
