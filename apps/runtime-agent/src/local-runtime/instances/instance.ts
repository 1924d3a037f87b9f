import { setTimeout as delay } from 'node:timers/promises';
import type { Backend } from '@postern/load-balancer-client';
import { unlinkedBytes } from '../../infrastructure/disk.js';
import { levelOf } from '../disks/disk-level.js';
import { diskUser } from '../disks/service-disks.js';
import { type ProbeAnswer, probe, wrongPort } from '../probe.js';
import type { ConfinedPlace, ConfinementNeeds } from './confinement.js';
import { exitReason } from './exit-reason.js';
import type { InstanceHost, InstanceLimits } from './instance-host.js';
import { InstanceOutput } from './instance-output.js';
import type { InstanceRecord } from './instance-record.js';
import { withoutShim } from './instance-shim.js';
import { listening, listeningPorts } from './listening-ports.js';
import { mainProcessOf, secretsOf, signalGroup } from './main-process.js';
import { catchAll, isInGroupOf, type ProcessEntry, processEntry } from './process-table.js';
import { type InstanceOrder, startProcess } from './start-process.js';

/** How often a group that was told to end is looked at. */
const GROUP_LOOK_MS = 50;

/** One running process of a web service, with everything that it has started. */
export class Instance {
  /** Resolves with how it ended, once its main process has; what it left behind may still run until `end`. */
  readonly exited: Promise<string>;
  readonly #reportExit: (reason: string) => void;
  readonly #output: InstanceOutput;
  #exitCode: number | undefined;
  #ending: Promise<void> | undefined;
  #isAnnounced = false;
  #isDiskTold = false;

  private constructor(
    private readonly host: InstanceHost,
    private current: InstanceRecord,
    private readonly place: ConfinedPlace,
    secrets: readonly string[],
  ) {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.exited = promise;
    this.#reportExit = resolve;
    this.#output = new InstanceOutput(host, current, secrets, code => this.#onExit(code));
  }

  /** Whatever goes wrong, nothing of it is left. */
  static async start(host: InstanceHost, order: InstanceOrder): Promise<Instance> {
    const { record } = order;
    await host.instanceRecords.write(record);
    const instance = new Instance(
      host,
      record,
      await host.confinement.prepare(record.id, record.webServiceId, needsOf(record)),
      order.secrets,
    );
    try {
      const read = () => instance.#output.read();
      const { pid, startTime, isBoxed } = await startProcess(host, instance.place, order, read);
      instance.current = { ...record, isBoxed, process: { pid, startTime } };
      await host.instanceRecords.write(instance.current);
      return instance;
    } catch (error) {
      await instance.end(0);
      throw error;
    }
  }

  /** Adopts an instance that an earlier process has started; undefined if it does not run properly. */
  static async adopt(host: InstanceHost, record: InstanceRecord): Promise<Instance | undefined> {
    if (!(await mainProcessOf(record))) return undefined;
    const secrets = await secretsOf(record);
    if (!secrets) return undefined;
    const instance = new Instance(host, record, await host.confinement.find(record.id), secrets);
    await instance.#output.read();
    return instance;
  }

  get record(): InstanceRecord {
    return this.current;
  }

  get limits(): InstanceLimits {
    return { ...this.host.limits, ...this.current.size };
  }

  /** Undefined without a port. */
  get backend(): Backend | undefined {
    const { id, port } = this.current;
    return port === undefined ? undefined : { id, port };
  }

  /** Of its main process, as a shell gives it; undefined before its end, or where a kill hid it. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** The last lines of its stderr before it was told to end, secrets masked; complete after `end`. */
  get lastErrors(): readonly string[] {
    return this.#output.lastErrors;
  }

  /** Asks it from outside; an answer that came from somebody else on its port is none. Without a port, running is well. */
  async probe(timeoutMs: number): Promise<ProbeAnswer> {
    const { port, healthCheckPath } = this.current;
    if (port === undefined) return undefined;
    const answer = await probe({ port, path: healthCheckPath }, timeoutMs);
    const ports = await listeningPorts(await this.place.pids());
    if (ports.length === 0 || ports.some(own => own.port === port)) return answer;
    const elsewhere = [...new Set(ports.map(own => own.port))].join(', ');
    return wrongPort(elsewhere, port);
  }

  /** All of its processes. */
  async processes(): Promise<readonly ProcessEntry[]> {
    const entries = (await this.place.pids()).map(processEntry);
    return entries.filter(entry => entry !== undefined);
  }

  /**
   * Calls it ended for using more than it may, where the kernel does not see to that; `end` then spares it nothing.
   * The kernel counts what processes share once, so its word is better than our sum.
   */
  async outgrown(): Promise<void> {
    const { id, process } = this.current;
    if (process && !(await isInGroupOf(process.pid, id))) this.#reportExit(this.#memoryMessage);
  }

  get #folder(): string {
    return this.host.instanceRecords.folderOf(this.current.id);
  }

  get #diskFolder(): string {
    return this.host.disks.folderOf(this.current.webServiceId);
  }

  /** Where it can write. */
  get writableFolders(): readonly string[] {
    return this.current.disk ? [this.#folder, this.#diskFolder] : [this.#folder];
  }

  /** Calls it ended when its files take up more than they may. @param used what its writable folders take up. */
  async checkDisk(used: ReadonlyMap<string, number>): Promise<void> {
    const { diskBytes } = this.limits;
    const diskFree = this.#checkServiceDisk(used.get(this.#diskFolder) ?? 0);
    // Files that it has deleted and keeps open can be on either.
    const unlinked = await unlinkedBytes(await this.place.pids(), this.#folder);
    if ((used.get(this.#folder) ?? 0) + Math.max(0, unlinked - diskFree) > diskBytes)
      this.#reportExit(`wrote more than ${Math.round(diskBytes / 2 ** 20)} MiB`);
  }

  /** @returns the free bytes of the disk; 0 without one. */
  #checkServiceDisk(used: number): number {
    const { disk } = this.current;
    if (!disk) return 0;
    const level = levelOf(used, disk.sizeMib);
    if (level.isOver) this.#reportExit(level.reason);
    else if (level.isNearlyFull && !this.#isDiskTold) this.#output.logLine(level.reason);
    this.#isDiskTold = level.isNearlyFull;
    return Math.max(0, disk.sizeMib * 2 ** 20 - used);
  }

  /** Lets it finish on its own: SIGTERM, unless that would end what it answers with at once. */
  async announceEnd(): Promise<void> {
    const { port } = this.current;
    const running = await mainProcessOf(this.current);
    if (port === undefined || !running || this.#isAnnounced) return;
    const members = (await this.processes()).filter(({ group }) => group === running.pid);
    const serving = await listening(members, port);
    if (serving.length === 0 || !(await catchAll(serving, 'SIGTERM'))) return;
    this.#isAnnounced = true;
    this.#tellToEnd(running.pid);
  }

  /**
   * Asks it to end, kills whatever runs of it after `graceMs`, takes in what it still had to say, and forgets it.
   * Can be called again when it has failed.
   */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#end(graceMs).catch(error => {
      this.#ending = undefined;
      throw error;
    });
    return this.#ending;
  }

  /** Leaves it running for the next process. */
  async detach(): Promise<void> {
    await this.#output.detach();
  }

  async #end(graceMs: number): Promise<void> {
    const running = graceMs > 0 ? await mainProcessOf(this.current) : undefined;
    if (running) {
      if (!this.#isAnnounced) this.#tellToEnd(running.pid);
      const waiting = new AbortController();
      const patience = delay(graceMs, undefined, { signal: waiting.signal }).catch(() => {});
      await Promise.race([this.#groupHasEnded(running.pid, waiting.signal), patience]);
      waiting.abort();
    }
    await this.place.clear();
    await this.#output.settle();
    await this.#output.close();
    await this.host.instanceRecords.remove(this.current.id);
  }

  #tellToEnd(group: number): void {
    // After its end only the wrapper around it can still run, and its last words may not have been read.
    if (this.#exitCode === undefined) this.#output.toldToEnd();
    signalGroup(group, 'SIGTERM');
  }

  /** A shell that was told to end does so before the service that it has started, which is to have its time as well. */
  async #groupHasEnded(leader: number, signal: AbortSignal): Promise<void> {
    await this.exited;
    while (!signal.aborted) {
      const members = (await this.processes()).filter(({ group }) => group === leader);
      if (withoutShim(members, leader, this.current.isBoxed ?? false).length === 0) return;
      await delay(GROUP_LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }

  #onExit(code: number | undefined): void {
    if (code === undefined) {
      this.#reportExit('was killed by SIGKILL');
      return;
    }
    this.#exitCode = code;
    void this.place.ranOutOfMemory().then(
      ranOut => this.#reportExit(ranOut ? this.#memoryMessage : exitReason(code)),
      () => this.#reportExit(exitReason(code)),
    );
  }

  get #memoryMessage(): string {
    return `used more than ${this.limits.memoryBytes / 2 ** 20} MiB`;
  }
}

const needsOf = ({ size, disk, webServiceId }: InstanceRecord): ConfinementNeeds => ({
  ...size,
  ...(disk && { user: diskUser(webServiceId), fileBytes: disk.sizeMib * 2 ** 20 }),
});
