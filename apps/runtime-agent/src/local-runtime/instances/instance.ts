import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Backend } from '@postern/load-balancer-client';
import type { LogWriter } from '@postern/runtime';
import { type ProbeAnswer, probe } from '../probe.js';
import type { ConfinedPlace } from './confinement.js';
import { exitInWords } from './exit-words.js';
import { handedEnvironment, TAKE_ENVIRONMENT } from './handed-environment.js';
import { firstEnvironment, serviceEnvironment, temporaryFolder } from './instance-environment.js';
import type { InstanceHost } from './instance-host.js';
import { makePipes, openForInstance, PipeReader } from './instance-pipes.js';
import type { InstanceRecord } from './instance-record.js';
import { LastLines } from './last-lines.js';
import { listeningPorts } from './listening-ports.js';
import { environmentOf, isInGroupOf, type ProcessEntry, processEntry } from './process-table.js';

export interface InstanceOrder {
  /** Without its process, which is not there yet. */
  readonly record: InstanceRecord;
  readonly argv: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/**
 * Stays between the platform and the service's own process, because the platform may be away when that ends: it holds
 * the pipes open until everything is read, and says the exit status into a pipe of its own, which the service does not
 * get. Again and again, because its reader may be killed before acting on it. It outlives SIGTERM, which goes to
 * the whole group, but not SIGKILL. Its own messages about ended commands are no lines of the service.
 */
const KEEPER = `trap : TERM INT HUP
{ "$@" 2>&4 3>&- 4>&-; status=$?; while :; do echo $status >&3; sleep 1; done; } 4>&2 2>/dev/null`;

/** A shell anew, so that its environment in /proc is the one that it was handed. */
const START = `${TAKE_ENVIRONMENT}\nexec /bin/sh -c '${KEEPER}' postern-instance "$@"`;

/** How often a group that was told to end is looked at. */
const GROUP_LOOK_MS = 50;

/** How long pipes are read on when nothing runs any more that could write to them. */
const SETTLE_MS = 2_000;

/** One running process of a web service, with everything that it has started. */
export class Instance {
  /** Resolves with how it ended, once its main process has; what it left behind may still run until `end`. */
  readonly exited: Promise<string>;
  readonly #sayExited: (words: string) => void;
  readonly #errors: LastLines;
  readonly #writer: LogWriter;
  #readers: readonly PipeReader[] = [];
  #status = '';
  #ending: Promise<void> | undefined;
  #detach = false;

  private constructor(
    private readonly host: InstanceHost,
    private current: InstanceRecord,
    private readonly place: ConfinedPlace,
    secrets: readonly string[],
  ) {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.exited = promise;
    this.#sayExited = resolve;
    this.#errors = new LastLines(host.redactor(secrets));
    this.#writer = host.logs.writer(current.webServiceId, current.name, secrets);
  }

  /** Whatever goes wrong, nothing of it is left. */
  static async start(host: InstanceHost, order: InstanceOrder): Promise<Instance> {
    const { record } = order;
    await host.ledger.write(record);
    const instance = new Instance(host, record, await host.confinement.prepare(record.id), order.secrets);
    try {
      const { pid, startTime } = await instance.#spawn(order);
      instance.current = { ...record, process: { pid, startTime } };
      await host.ledger.write(instance.current);
      return instance;
    } catch (error) {
      await instance.end(0);
      throw error;
    }
  }

  /** Adopts an instance that an earlier process has started; undefined if it does not run properly. */
  static async adopt(host: InstanceHost, record: InstanceRecord): Promise<Instance | undefined> {
    if (!(await runningProcess(record))) return undefined;
    const secrets = await secretsOf(record);
    if (!secrets) return undefined;
    const instance = new Instance(host, record, await host.confinement.find(record.id), secrets);
    await instance.#read();
    return instance;
  }

  get record(): InstanceRecord {
    return this.current;
  }

  get backend(): Backend {
    return { id: this.current.id, port: this.current.port };
  }

  /** The last lines of its stderr, secrets masked; complete after `end`. */
  get lastErrors(): readonly string[] {
    return this.#errors.lines;
  }

  /** Asks it from outside; an answer that came from somebody else on its port is none. */
  async probe(timeoutMs: number): Promise<ProbeAnswer> {
    const { port, healthCheckPath } = this.current;
    const answer = await probe({ port, path: healthCheckPath }, timeoutMs);
    const ports = await listeningPorts(await this.place.pids());
    if (ports.length === 0 || ports.some(own => own.port === port)) return answer;
    const elsewhere = [...new Set(ports.map(own => own.port))].join(', ');
    return `listens on port ${elsewhere}, not on PORT ${port}`;
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
    if (process && !(await isInGroupOf(process.pid, id))) this.#sayExited(this.#memoryWords);
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
    this.#detach = true;
    for (const reader of this.#readers) reader.close();
    await this.#writer.close();
  }

  async #end(graceMs: number): Promise<void> {
    const running = graceMs > 0 ? await runningProcess(this.current) : undefined;
    if (running) {
      signalGroup(running.pid, 'SIGTERM');
      const waiting = new AbortController();
      const patience = delay(graceMs, undefined, { signal: waiting.signal }).catch(() => {});
      await Promise.race([this.#groupHasEnded(running.pid, waiting.signal), patience]);
      waiting.abort();
    }
    await this.place.clear();
    await this.#settle();
    await this.#writer.close();
    await this.host.ledger.remove(this.current.id);
  }

  /** A shell that was told to end does so before the service that it has started, which is to have its time as well. */
  async #groupHasEnded(leader: number, signal: AbortSignal): Promise<void> {
    await this.exited;
    while (!signal.aborted) {
      const members = (await this.processes()).filter(({ group }) => group === leader);
      // What is left of the keeper and its pauses does not count.
      if (members.every(({ pid, parent }) => pid === leader || parent === leader)) return;
      await delay(GROUP_LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** With every process gone the pipes end by themselves, when the last byte has been read. */
  async #settle(): Promise<void> {
    const settling = new AbortController();
    const patience = delay(SETTLE_MS, undefined, { signal: settling.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#readers.map(reader => reader.ended)), patience]);
    settling.abort();
    for (const reader of this.#readers) reader.close();
    this.#errors.end();
  }

  async #spawn({ argv, directory, environment }: InstanceOrder): Promise<ProcessEntry> {
    const { id, port } = this.current;
    const folder = this.host.ledger.folderOf(id);
    const temporary = temporaryFolder(folder);
    await mkdir(temporary, { recursive: true });
    await chmod(temporary, 0o700);
    const { owner } = this.place;
    if (owner) await chown(temporary, owner.uid, owner.gid);
    await makePipes(folder, owner);
    const pipes = await openForInstance(folder);
    try {
      await this.#read();
      const [command = '', ...args] = this.place.enclose(['/bin/sh', '-c', START, 'postern-instance', ...argv]);
      const child = spawn(command, args, {
        cwd: directory,
        env: firstEnvironment(id, this.host.path),
        stdio: ['pipe', ...pipes.map(({ fd }) => fd)],
        detached: true,
      });
      await once(child, 'spawn');
      child.unref();
      // It may end before it has read everything; how it ended says more than the broken pipe.
      child.stdin?.on('error', () => {});
      child.stdin?.end(handedEnvironment(serviceEnvironment({ id, port, folder }, environment)));
      const entry = processEntry(child.pid!);
      if (!entry) throw new Error('it ended before it had begun');
      return entry;
    } finally {
      await Promise.all(pipes.map(pipe => pipe.close()));
    }
  }

  async #read(): Promise<void> {
    const folder = this.host.ledger.folderOf(this.current.id);
    const output = await PipeReader.open(folder, 'stdout', chunk => this.#writer.write('stdout', chunk));
    const errors = await PipeReader.open(folder, 'stderr', chunk => {
      this.#errors.push(chunk);
      this.#writer.write('stderr', chunk);
    });
    const exit = await PipeReader.open(folder, 'exit', chunk => this.#takeStatus(chunk));
    this.#readers = [output, errors, exit];
    void exit.ended.then(() => !this.#detach && this.#sayExited('was ended by SIGKILL'));
  }

  #takeStatus(chunk: Buffer): void {
    this.#status += chunk.toString('latin1').slice(0, 8);
    const status = /^(\d+)\n/.exec(this.#status)?.[1];
    if (status === undefined) return;
    void this.place.ranOutOfMemory().then(
      ranOut => this.#sayExited(ranOut ? this.#memoryWords : exitInWords(Number(status))),
      () => this.#sayExited(exitInWords(Number(status))),
    );
  }

  get #memoryWords(): string {
    return `used more than ${this.host.limits.memoryBytes / 2 ** 20} MiB`;
  }
}

/** Its main process, unless that is gone and its number perhaps somebody else's. */
const runningProcess = async ({ process }: InstanceRecord): Promise<ProcessEntry | undefined> => {
  const entry = process && processEntry(process.pid);
  return entry && entry.startTime === process.startTime ? entry : undefined;
};

/**
 * By their names, from the environment of its main process: the platform writes no value of a variable anywhere.
 * Undefined where it has not been handed them yet, and without the platform never will be.
 */
const secretsOf = async ({ process, secretNames }: InstanceRecord): Promise<readonly string[] | undefined> => {
  const environment = process && (await environmentOf(process.pid));
  const secrets = secretNames.flatMap(name => environment?.get(name) ?? []);
  return secrets.length === secretNames.length ? secrets : undefined;
};

const signalGroup = (group: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
