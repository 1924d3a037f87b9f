import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Answer, BalancerProcess, type Question, request } from '@postern/load-balancer-client/testing';
import type { ServicePlan } from '@postern/runtime';
import { assembleLocalRuntime, type LocalRuntimeOptions } from '../assemble-local-runtime.js';
import type { InstanceLimits } from '../instances/instance-host.js';
import type { InstanceRecord } from '../instances/instance-record.js';
import { InstanceRecords } from '../instances/instance-records.js';
import { MarkedProcesses } from '../instances/marked-processes.js';
import type { LocalRuntime } from '../local-runtime.js';
import type { RuntimeTimes } from '../rolls/runtime-times.js';
import { existingNetworks } from '../sandbox/network/open-networks.js';
import { assemblyFor, type Held } from './local-runtime-assembly.js';
import { QUICK } from './quick-times.js';

export interface RuntimeFixtureOptions {
  readonly held?: Held;
  readonly limits?: Partial<InstanceLimits>;
  readonly times?: Partial<RuntimeTimes>;
}

/** A local runtime with the real load balancer. Its artefacts are folders that a test writes. */
export class LocalRuntimeFixture {
  runtime: LocalRuntime;
  readonly processes = new MarkedProcesses();
  readonly instanceRecords: InstanceRecords;

  private constructor(
    readonly balancer: BalancerProcess,
    private readonly assembly: LocalRuntimeOptions,
  ) {
    this.instanceRecords = new InstanceRecords(this.home);
    this.runtime = this.anotherRuntime();
  }

  static async start({ held = 'by all means', limits = {}, times = {} }: RuntimeFixtureOptions = {}) {
    const balancer = await BalancerProcess.start();
    const assembly = await assemblyFor(balancer.home, held, limits);
    return new LocalRuntimeFixture(balancer, { ...assembly, times: { ...QUICK, ...times } });
  }

  get home(): string {
    return this.balancer.home;
  }

  /** Creates a runtime on the same home, as a restarted platform does. */
  anotherRuntime(): LocalRuntime {
    return assembleLocalRuntime(this.assembly);
  }

  /** Creates a runtime of another release on the same home. */
  async runtimeHeld(held: Held): Promise<LocalRuntime> {
    return assembleLocalRuntime({ ...(await assemblyFor(this.home, held)), times: QUICK });
  }

  /** The ids of the instances that have a network; undefined if none can have one. */
  async networkIds(): Promise<readonly string[] | undefined> {
    return (await existingNetworks(this.home))?.ids();
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

  /** Sends a request to the service through the load balancer. */
  async visit({ webServiceId, name }: ServicePlan, path = '/', question: Question = {}): Promise<Answer> {
    return request(new URL(path, await this.runtime.urlOf(webServiceId, name)).href, question);
  }

  async records({ webServiceId }: Pick<ServicePlan, 'webServiceId'>): Promise<readonly InstanceRecord[]> {
    return (await this.instanceRecords.list()).filter(record => record.webServiceId === webServiceId);
  }

  /** The ids of all processes that carry the marker of an instance of this home. */
  async pids(): Promise<readonly number[]> {
    const ids = new Set(await this.instanceRecords.ids());
    const marked = [...(await this.processes.scan())].filter(([id]) => ids.has(id));
    return marked.flatMap(([, entries]) => entries.map(({ pid }) => pid));
  }

  /** The id outside the sandbox of the process that has this id in its own PID namespace. */
  async pidOf(numberInside: number): Promise<number> {
    for (const pid of await this.pids()) {
      const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
      if (new RegExp(`^NSpid:.*\\t${numberInside}$`, 'm').test(status)) return pid;
    }
    throw new Error(`no process of an instance has the number ${numberInside} where it runs`);
  }

  async messages({ webServiceId }: ServicePlan): Promise<readonly string[]> {
    const lines = await this.runtime.logs(webServiceId, { tail: 10_000, since: undefined });
    return lines.map(({ message }) => message);
  }

  async stop(): Promise<void> {
    await this.runtime.detach();
    const end = this.anotherRuntime();
    await end.reconcile([], new Set());
    await end.detach();
    await (await existingNetworks(this.home))?.dismantle();
    await this.balancer.stop();
    await rm(this.home, { recursive: true, force: true });
  }
}
