import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { silentLog } from '@postern/messaging';
import { type Answer, ask, BalancerFixture, type Question } from '../../../load-balancer/testing/balancer-fixture.js';
import type { ServicePlan } from '../../../ports/runtime.js';
import { assembleLocalRuntime } from '../assemble-local-runtime.js';
import type { InstanceLimits } from '../instances/instance-host.js';
import { InstanceLedger } from '../instances/instance-ledger.js';
import type { InstanceRecord } from '../instances/instance-record.js';
import { MarkedConfinement } from '../instances/marked-confinement.js';
import { MarkedProcesses } from '../instances/marked-processes.js';
import type { LocalRuntime } from '../local-runtime.js';
import { plainRedactor } from '../logs/testing/plain-redactor.js';
import type { RuntimeTimes } from '../rolls/runtime-times.js';

/** Everything short enough for a test to see it happen. */
export const QUICK: Partial<RuntimeTimes> = {
  probeTimeoutMs: 1_000,
  firstProbesMs: 20,
  probesMs: 100,
  unhealthyUntilRestartMs: 600,
  drainMs: 1_000,
  graceMs: 1_000,
  samplesMs: 200,
  backoff: { firstMs: 50, longestMs: 500, forgivenAfterMs: 60_000 },
};

/** A local runtime with the real load balancer, whose artefacts are folders that a test writes. */
export class LocalRuntimeFixture {
  runtime: LocalRuntime;
  readonly processes = new MarkedProcesses();
  readonly ledger: InstanceLedger;

  private constructor(
    readonly balancer: BalancerFixture,
    private readonly options: { times?: Partial<RuntimeTimes>; limits?: Partial<InstanceLimits> },
  ) {
    this.ledger = new InstanceLedger(this.home);
    this.runtime = this.anotherRuntime();
  }

  static async start(options: { times?: Partial<RuntimeTimes>; limits?: Partial<InstanceLimits> } = {}) {
    return new LocalRuntimeFixture(await BalancerFixture.start(), options);
  }

  get home(): string {
    return this.balancer.home;
  }

  /** As another run of the platform on the same home would make it. */
  anotherRuntime(): LocalRuntime {
    return assembleLocalRuntime({
      ...assemblyFor(this.home),
      limits: this.options.limits ?? {},
      times: { ...QUICK, ...this.options.times },
    });
  }

  async artefact(server: string): Promise<string> {
    const reference = randomUUID();
    const folder = join(this.home, 'artefacts', reference);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'server.mjs'), server);
    return reference;
  }

  async plan(server: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> {
    return {
      webServiceId: randomUUID(),
      name: 'shop',
      rollId: randomUUID(),
      artefact: { reference: await this.artefact(server), commit: '0'.repeat(40) },
      startCommand: undefined,
      port: 3000,
      healthCheckPath: undefined,
      minInstances: 1,
      maxInstances: 1,
      environment: {},
      secrets: [],
      deadlineMs: 10_000,
      ...changes,
    };
  }

  /** Asks the service as its visitors do. */
  async visit({ webServiceId, name }: ServicePlan, path = '/', question: Question = {}): Promise<Answer> {
    return ask(new URL(path, await this.runtime.urlOf(webServiceId, name)).href, question);
  }

  async records({ webServiceId }: Pick<ServicePlan, 'webServiceId'>): Promise<readonly InstanceRecord[]> {
    return (await this.ledger.list()).filter(record => record.webServiceId === webServiceId);
  }

  /** All processes that carry the mark of an instance of this home. */
  async pids(): Promise<readonly number[]> {
    const ids = new Set(await this.ledger.ids());
    const marked = [...(await this.processes.scan())].filter(([id]) => ids.has(id));
    return marked.flatMap(([, entries]) => entries.map(({ pid }) => pid));
  }

  async messages({ webServiceId }: ServicePlan): Promise<readonly string[]> {
    const lines = await this.runtime.logs(webServiceId, { tail: 10_000, since: undefined });
    return lines.map(({ message }) => message);
  }

  async stop(): Promise<void> {
    await this.runtime.letGo();
    const end = this.anotherRuntime();
    await end.reconcile([], new Set());
    await end.letGo();
    await this.balancer.stop();
    await rm(this.home, { recursive: true, force: true });
  }
}

/** Also for runtimes in a process of their own. */
export const assemblyFor = (home: string) => ({
  platformHome: home,
  builds: {
    resolveSource: () => Promise.reject(new Error('nothing is fetched here')),
    build: () => Promise.reject(new Error('nothing is built here')),
    retainArtefacts: () => Promise.resolve(),
  },
  launchOf: async (reference: string) => ({
    directory: join(home, 'artefacts', reference),
    argv: ['node', 'server.mjs'],
  }),
  confinement: new MarkedConfinement(new MarkedProcesses()),
  redactor: plainRedactor,
  path: `${dirname(process.execPath)}:/usr/bin:/bin`,
  log: silentLog,
});
