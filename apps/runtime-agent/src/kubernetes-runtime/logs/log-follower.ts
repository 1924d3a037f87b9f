import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@postern/messaging';
import type { LogStream, LogWriter, RunOrder, ServicePlan } from '@postern/runtime';
import { type Cluster, ClusterError } from '../cluster.js';
import type { Pod, Terminated } from '../objects/kinds.js';
import { CONTAINER, instanceOf, LABEL, OURS } from '../objects/names.js';
import { endReason, TIMED_LINE, webOf } from '../rolls/pod-failures.js';

export type WriterOf = (webServiceId: string, instance: string, secrets: readonly string[]) => LogWriter;

/** A process that was not reconciled for this time stops following logs. */
const LEADS_FOR_MS = 60_000;
const TAKEN_WITHIN_MS = 5_000;

/** The owner of a pod's log lines. */
interface LineOwner {
  readonly webServiceId: string;
  readonly instance: string;
  readonly stream: LogStream;
  readonly secrets: readonly string[];
}

type FollowedCommand = LineOwner & Pick<RunOrder, 'runId'>;

interface Run extends LineOwner {
  /** One run of a pod's container. */
  readonly key: string;
  readonly pod: string;
  /** Only for a command. */
  readonly runId?: string;
  /** Whether the container has already been restarted after this run. */
  readonly previous: boolean;
  readonly ended: boolean;
  /** How the run ended, unless the platform ended it. */
  readonly end: Terminated | undefined;
}

/**
 * Copies the log lines of all instances into the platform's log store as they are written, so that they outlive the
 * pods. The positions are stored with them: after a restart no line is missing, but the last lines may be duplicated.
 */
export class LogFollower {
  readonly #secrets = new Map<string, readonly string[]>();
  readonly #commands = new Map<string, FollowedCommand>();
  readonly #following = new Map<string, { readonly run: Run; readonly done: Promise<void> }>();
  readonly #finished = new Set<string>();
  /** Time of the last line of each run. */
  #positions: Map<string, string> | undefined;
  #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #leadsUntil = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly writerOf: WriterOf,
    private readonly positionsFile: string,
    private readonly log: Log,
    private readonly pollMs: number,
  ) {}

  /** Follows the logs of these plans for a while, with their secrets masked. */
  follow(plans: readonly ServicePlan[]): void {
    for (const { rollId, secrets } of plans) this.#secrets.set(rollId, secrets);
    this.#lead();
  }

  /** Follows the log of a command until `takeCommand` has taken its last lines. */
  followCommand(command: FollowedCommand): void {
    this.#commands.set(command.runId, command);
    this.#lead();
  }

  /** Takes the remaining lines of a command that has ended. */
  async takeCommand(runId: string): Promise<void> {
    const limit = performance.now() + TAKEN_WITHIN_MS;
    while (performance.now() < limit && !this.#stopping.signal.aborted) {
      await this.#poll().catch(() => {});
      const runs = [...this.#following.values()].filter(({ run }) => run.runId === runId);
      if (runs.length === 0) break;
      await Promise.race([
        Promise.all(runs.map(({ done }) => done)),
        pause(TAKEN_WITHIN_MS, undefined, { ref: false }),
      ]);
    }
    this.#commands.delete(runId);
  }

  /** Detects new instances, and waits until the logs of instances of the service that end during `work` are complete. */
  async drain<T>(webServiceId: string, work: () => Promise<T>): Promise<T> {
    await this.#poll().catch(() => {});
    const result = await work();
    const runs = [...this.#following.values()].filter(({ run }) => run.webServiceId === webServiceId);
    await Promise.race([Promise.all(runs.map(({ done }) => done)), pause(TAKEN_WITHIN_MS, undefined, { ref: false })]);
    return result;
  }

  async detach(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await Promise.all([...this.#following.values()].map(({ done }) => done));
    await this.#savePositions();
    this.#stopping = new AbortController();
    this.#loop = undefined;
  }

  #lead(): void {
    this.#leadsUntil = performance.now() + LEADS_FOR_MS;
    this.#loop ??= this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && (performance.now() < this.#leadsUntil || this.#commands.size > 0)) {
      await this.#poll().catch((err: unknown) => this.log.warn({ err }, 'Could not list instances'));
      await this.#savePositions();
      await pause(this.pollMs, undefined, { signal, ref: false }).catch(() => {});
    }
    if (!signal.aborted) this.#loop = undefined;
  }

  async #poll(): Promise<void> {
    if (!this.#loop) return;
    this.#positions ??= await this.#savedPositions();
    const instances = await this.cluster.list<Pod>('Pod', `${OURS},${LABEL.roll}`);
    const commands = this.#commands.size > 0 ? await this.cluster.list<Pod>('Pod', `${OURS},${LABEL.command}`) : [];
    const pods = [...instances, ...commands];
    for (const run of pods.flatMap(pod => this.#runsOf(pod))) {
      if (this.#following.has(run.key) || this.#finished.has(run.key)) continue;
      const done = this.#take(run).finally(() => this.#following.delete(run.key));
      this.#following.set(run.key, { run, done });
    }
    this.#forget(new Set(pods.map(({ metadata }) => metadata.uid ?? '')), pods);
  }

  /** The current run of the container, and the previous run if it was missed or is incomplete. */
  #runsOf(pod: Pod): readonly Run[] {
    const { metadata } = pod;
    const web = webOf(pod);
    const owner = this.#ownerOf(pod);
    const { running, terminated } = web?.state ?? {};
    const ended = running === undefined;
    if (!owner || (ended && !terminated && !web?.lastState?.terminated)) return [];
    const about = { pod: metadata.name, ...owner };
    const count = web?.restartCount ?? 0;
    // The end of a command is its result, so it is not logged as a failure.
    const isExpected = metadata.deletionTimestamp !== undefined || owner.runId !== undefined;
    const end = isExpected ? undefined : (terminated ?? web?.lastState?.terminated);
    const runOf = (number: number, more: Pick<Run, 'previous' | 'ended' | 'end'>): Run => ({
      ...about,
      ...more,
      key: `${metadata.uid}/${number}`,
    });
    const before = count > 0 && running ? [runOf(count - 1, { previous: true, ended: true, end })] : [];
    return [...before, runOf(count, { previous: false, ended, end: ended ? end : undefined })];
  }

  #ownerOf(pod: Pod): (LineOwner & Partial<FollowedCommand>) | undefined {
    const labels = pod.metadata.labels ?? {};
    const runId = labels[LABEL.command];
    if (runId !== undefined) return this.#commands.get(runId);
    const secrets = this.#secrets.get(labels[LABEL.roll] ?? '');
    const webServiceId = labels[LABEL.webService] ?? labels[LABEL.processOf] ?? '';
    return secrets && { webServiceId, instance: instanceOf(pod), stream: 'stdout', secrets };
  }

  async #take(run: Run): Promise<void> {
    const writer = this.writerOf(run.webServiceId, run.instance, run.secrets);
    const position = this.#positions?.get(run.key);
    const options = {
      container: CONTAINER,
      previous: run.previous,
      // `sinceTime` has a resolution of one second, so lines that were already taken are skipped below.
      ...(position && { sinceTime: `${position.slice(0, 19)}Z` }),
    };
    try {
      let rest = Buffer.alloc(0);
      for await (const chunk of this.cluster.followLog(run.pod, options, this.#stopping.signal)) {
        rest = Buffer.concat([rest, chunk]);
        const end = rest.lastIndexOf('\n') + 1;
        this.#write(run, writer, rest.toString('utf8', 0, end));
        rest = rest.subarray(end);
      }
      this.#write(run, writer, rest.toString('utf8'));
      if (run.ended) this.#finish(run, writer);
    } catch (err) {
      // The next poll requests the lines that a broken connection did not deliver.
      if (!isExpected(err)) this.log.warn({ err, instance: run.pod }, 'A log ended early');
    } finally {
      await writer.close();
    }
  }

  /** Logs once how a run ended, also if its lines are read again after a restart. */
  #finish({ key, instance, end }: Run, writer: LogWriter): void {
    this.#finished.add(key);
    const endKey = `${key}/end`;
    if (!end || this.#positions?.has(endKey)) return;
    writer.write('platform', `${instance} ${endReason(end)}\n`);
    this.#positions?.set(endKey, end.finishedAt ?? '');
  }

  #write({ key, stream }: Run, writer: LogWriter, text: string): void {
    const position = this.#positions?.get(key) ?? '';
    for (const line of text.split('\n')) {
      const [, time, message = ''] = TIMED_LINE.exec(line) ?? [];
      if (time === undefined || isUpTo(time, position)) continue;
      writer.write(stream, `${message}\n`);
      this.#positions?.set(key, time);
    }
  }

  #forget(pods: ReadonlySet<string>, listed: readonly Pod[]): void {
    const isDeleted = (key: string) => !pods.has(key.split('/')[0] ?? '') && !this.#following.has(key);
    for (const key of this.#finished) if (isDeleted(key)) this.#finished.delete(key);
    for (const key of this.#positions?.keys() ?? []) if (isDeleted(key)) this.#positions?.delete(key);
    if (this.#secrets.size <= 2 * (listed.length + 1_000)) return;
    const rolls = new Set(listed.map(({ metadata }) => metadata.labels?.[LABEL.roll]));
    for (const rollId of this.#secrets.keys()) if (!rolls.has(rollId)) this.#secrets.delete(rollId);
  }

  async #savedPositions(): Promise<Map<string, string>> {
    const text = await readFile(this.positionsFile, 'utf8').catch(() => '{}');
    return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
  }

  async #savePositions(): Promise<void> {
    if (!this.#positions) return;
    const draft = `${this.positionsFile}.draft`;
    try {
      await writeFile(draft, JSON.stringify(Object.fromEntries(this.#positions)));
      await rename(draft, this.positionsFile);
    } catch (err) {
      this.log.warn({ err }, 'Could not save the log position');
    }
  }
}

/** The container does not exist or is not ready yet, or following was aborted. */
const isExpected = (error: unknown): boolean =>
  (error instanceof ClusterError && (error.status === 404 || error.status === 400)) ||
  (error instanceof Error && error.name === 'AbortError');

/** RFC 3339 times have a varying number of fractional digits; they compare as text only if padded to the same length. */
const isUpTo = (time: string, position: string): boolean => padded(time) <= padded(position);
const padded = (time: string): string => {
  const [seconds = '', fraction = ''] = time.replace('Z', '').split('.');
  return `${seconds}.${fraction.padEnd(9, '0')}`;
};
