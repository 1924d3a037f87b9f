import { setTimeout as delay } from 'node:timers/promises';
import type { Backend } from '@postern/load-balancer-client';
import { isInGroupOf, type ProcessEntry, processEntry } from '../../infrastructure/process-table.js';
import { diskUser } from '../disks/service-disks.js';
import { listensElsewhere, type ProbeAnswer } from '../probe.js';
import type { ConfinedPlace, ConfinementNeeds } from './confinement.js';
import { exitReason } from './exit-reason.js';
import { InstanceAreas, type Usage } from './instance-areas.js';
import type { InstanceHost, InstanceLimits } from './instance-host.js';
import { InstanceOutput } from './instance-output.js';
import type { InstanceRecord } from './instance-record.js';
import { withoutShim } from './instance-shim.js';
import { mainProcessOf, secretsOf, signalGroup } from './main-process.js';
import { ProbedPort } from './probed-port.js';
import { type InstanceOrder, startProcess } from './start-process.js';

/** Poll interval for the end of a process group after SIGTERM. */
const GROUP_POLL_MS = 50;

/** One running process of a web service, with all processes that it has started. */
export class Instance {
  /**
   * Resolves with the reason when the main process ends or a limit is exceeded. Other processes may run until `end`.
   */
  readonly exited: Promise<string>;
  readonly #reportExit: (reason: string) => void;
  readonly #output: InstanceOutput;
  #exitCode: number | undefined;
  #ending: Promise<void> | undefined;
  readonly #probedPort: ProbedPort;
  /** The last change of the record by a probe. */
  #recording = Promise.resolve();
  #areas: InstanceAreas | undefined;

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
    this.#probedPort = new ProbedPort(host, place, (port, otherPort) => this.#direct(port, otherPort));
  }

  /** Starts an instance. If the start of its process fails, the instance is removed. */
  static async start(host: InstanceHost, order: InstanceOrder): Promise<Instance> {
    const { record } = order;
    await host.instanceRecords.write(record);
    const place = await host.confinement.prepare(record.id, record.webServiceId, needsOf(record));
    const instance = new Instance(host, record, place, order.secrets);
    try {
      const read = () => instance.#output.read();
      const { pid, startTime, isBoxed } = await startProcess(host, instance.place, order, read);
      const reached = record.port === undefined || !place.hasNetwork ? {} : { host: place.address };
      instance.current = { ...record, ...reached, isBoxed, process: { pid, startTime } };
      await host.instanceRecords.write(instance.current);
      return instance;
    } catch (error) {
      await instance.end(0);
      throw error;
    }
  }

  /**
   * Adopts an instance of an earlier platform process; undefined if it has ended, has not received its environment, or uses the
   * network of the machine although it could have its own.
   */
  static async adopt(host: InstanceHost, record: InstanceRecord): Promise<Instance | undefined> {
    if (!(await mainProcessOf(record))) return undefined;
    const secrets = await secretsOf(record);
    if (!secrets) return undefined;
    const place = await host.confinement.find(record.id);
    if (host.confinement.hasNetworks && !place.hasNetwork) return undefined;
    const instance = new Instance(host, record, place, secrets);
    if (record.otherPort !== undefined) host.otherPorts.set(record, record.otherPort);
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
    const { id, port: own, otherPort: port = own, firstByteSeconds } = this.current;
    if (port === undefined) return undefined;
    const limit = firstByteSeconds === undefined ? {} : { firstByteMs: firstByteSeconds * 1_000 };
    return { id, host: this.place.address, port, ...limit };
  }

  /**
   * The exit status of the main process, as a shell reports it; undefined before its end, or if the shim was killed.
   */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** The last lines of stderr before its termination, with secrets masked; complete after `end`. */
  get lastErrors(): readonly string[] {
    return this.#output.lastErrors;
  }

  /** Probes the port of the instance; see `ProbedPort`. Always succeeds without a port. */
  async probe(timeoutMs: number, isNew: boolean, takesOther = false): Promise<ProbeAnswer> {
    const { port } = this.current;
    if (port === undefined) return undefined;
    return this.#probedPort.probe({ ...this.current, port }, { timeoutMs, isNew, takesOther });
  }

  /** Directs the requests to another port than PORT, or to PORT again. */
  async #direct(port: number, otherPort: number | undefined): Promise<void> {
    if (this.#ending) return;
    const { otherPort: _, ...record } = this.current;
    this.current = { ...record, ...(otherPort !== undefined && { otherPort }) };
    this.#recording = this.host.instanceRecords.write(this.current);
    await this.#recording;
    const { otherPorts } = this.host;
    if (otherPort === undefined) this.#output.logLine(`Listens on PORT ${port} now: requests go to ${port}`);
    else if (otherPorts.of(record) !== otherPort) this.#output.logLine(listensElsewhere(otherPort, port));
    otherPorts.set(record, otherPort);
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    const entries = (await this.place.pids()).map(processEntry);
    return entries.filter(entry => entry !== undefined);
  }

  /**
   * Reports the instance as ended for exceeding its memory limit, unless a control group enforces the limit. The
   * control group counts shared memory once, so it is more precise than the sum over the processes.
   */
  async reportMemoryExceeded(): Promise<void> {
    const { id, process } = this.current;
    if (process && !isInGroupOf(process.pid, id)) this.#reportExit(this.#memoryMessage);
  }

  /** The folders whose usage `checkDisk` needs: those that the kernel does not limit. */
  get measuredFolders(): readonly string[] {
    return this.#writable.measured;
  }

  /** Why writes fail, while its files fill what they may occupy. */
  get fullArea(): string | undefined {
    return this.#areas?.full;
  }

  /** Reports full areas, and the instance as ended if its files exceed a limit that the kernel does not enforce. */
  async checkDisk(used: Usage): Promise<void> {
    const reason = await this.#writable.check(used);
    if (reason !== undefined) this.#reportExit(reason);
  }

  /** Created when the process runs, because its images exist then. */
  get #writable(): InstanceAreas {
    this.#areas ??= new InstanceAreas(this.host, this.current, this.place, line => this.#output.logLine(line));
    return this.#areas;
  }

  /**
   * Sends SIGTERM, kills the remaining processes after `graceMs`, reads the remaining output and removes the record.
   * Can be called again after a failure.
   */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#end(graceMs).catch(error => {
      this.#ending = undefined;
      throw error;
    });
    return this.#ending;
  }

  /** Stops the supervision and leaves the instance running for the next platform process. */
  async detach(): Promise<void> {
    await this.#output.detach();
  }

  async #end(graceMs: number): Promise<void> {
    const running = graceMs > 0 ? await mainProcessOf(this.current) : undefined;
    if (running) {
      this.#terminate(running.pid);
      const waiting = new AbortController();
      const timeout = delay(graceMs, undefined, { signal: waiting.signal }).catch(() => {});
      await Promise.race([this.#groupHasEnded(running.pid, waiting.signal), timeout]);
      waiting.abort();
    }
    await this.place.clear();
    await this.#output.settle();
    await this.#output.close();
    await this.#recording.catch(() => {});
    await this.host.instanceRecords.remove(this.current.id);
  }

  #terminate(group: number): void {
    // After the end of the main process only the shim can run, and stderr may contain unread lines for `lastErrors`.
    if (this.#exitCode === undefined) this.#output.markTerminating();
    signalGroup(group, 'SIGTERM');
  }

  /**
   * Waits for the whole group: a shell ends on SIGTERM before the service that it has started, which gets the same
   * time.
   */
  async #groupHasEnded(leader: number, signal: AbortSignal): Promise<void> {
    await this.exited;
    while (!signal.aborted) {
      const members = (await this.processes()).filter(({ group }) => group === leader);
      if (withoutShim(members, leader, this.current.isBoxed ?? false).length === 0) return;
      await delay(GROUP_POLL_MS, undefined, { signal }).catch(() => {});
    }
  }

  #onExit(code: number | undefined): void {
    if (code === undefined) {
      this.#reportExit('was killed by SIGKILL');
      return;
    }
    this.#exitCode = code;
    void this.#reasonOf(code).then(
      reason => this.#reportExit(reason),
      () => this.#reportExit(exitReason(code)),
    );
  }

  async #reasonOf(code: number): Promise<string> {
    if (await this.place.ranOutOfMemory()) return this.#memoryMessage;
    // Until `end`, a process keeps the areas mounted.
    if (code !== 0 && this.measuredFolders.length === 0) await this.checkDisk(new Map());
    return this.fullArea === undefined ? exitReason(code) : `${exitReason(code)}. ${this.fullArea}`;
  }

  get #memoryMessage(): string {
    return `used more than ${this.limits.memoryBytes / 2 ** 20} MiB`;
  }
}

const needsOf = ({ size, disk, port, webServiceId }: InstanceRecord): ConfinementNeeds => ({
  ...size,
  network: { port },
  ...(disk && { user: diskUser(webServiceId), fileBytes: disk.sizeMib * 2 ** 20 }),
});
