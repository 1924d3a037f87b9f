import { setTimeout as pause } from 'node:timers/promises';
import {
  type LogStream,
  OrderInterrupted,
  RollFailed,
  type RunEnd,
  type RunOrder,
  type ServicePlan,
} from '@postern/runtime';
import { z } from 'zod';
import type { Cluster } from '../cluster.js';
import type { LogFollower, WriterOf } from '../logs/log-follower.js';
import { type CommandProcess, commandJob, commandSecret } from '../objects/command-objects.js';
import type { Job, Pod } from '../objects/kinds.js';
import { ANNOTATION, commandName, LABEL, OURS } from '../objects/names.js';
import { processCheck, processesOf } from '../objects/process-objects.js';
import type { ServiceObjectSettings } from '../objects/service-objects.js';
import { shellCommand } from '../objects/shell-command.js';
import { endReason, hasFailedPermanently, webOf, whyNotReady } from '../rolls/pod-failures.js';

export interface JobCommandsParts {
  readonly cluster: Cluster;
  readonly settings: ServiceObjectSettings;
  readonly follower: LogFollower;
  readonly writerOf: WriterOf;
  readonly mask: (text: string, secrets: readonly string[]) => string;
  readonly pollMs: number;
}

/** The instance name in the log lines of a release command. */
const RELEASE = 'release';
const LAST_LINES = 5;
/** Long enough for the control plane to record the result of a command. */
const KEPT_MS = 7 * 24 * 60 * 60_000;
const INTERRUPTED = 'was interrupted before its result was known, and is not run again';

const runEnd = z.object({ exitCode: z.int().nullable(), reason: z.string().nullable() });

interface CommandOrder extends CommandProcess {
  /** The log stream of its output; undefined to discard the output. */
  readonly stream: LogStream | undefined;
  /** How many of its last lines are part of the failure reason. */
  readonly lastLines: number;
}

/** Runs each command at most once, as a Job. Its result is kept in an annotation of the Job, for a week. */
export class JobCommands {
  constructor(private readonly parts: JobCommandsParts) {}

  /** Runs the command of a user. */
  run(order: RunOrder, signal: AbortSignal): Promise<RunEnd> {
    const command = shellCommand(order.command);
    return this.#run({ ...order, command, stream: 'stdout', lastLines: 0 }, signal);
  }

  /** Runs the release command of a roll, if it has one. @throws RollFailed if the command fails. */
  async release(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    const { releaseCommand: command, rollId: runId, webServiceId, secrets, instance: size } = plan;
    if (command === undefined) return;
    if (!(await this.#find(runId))) {
      const output = this.parts.writerOf(webServiceId, RELEASE, secrets);
      output.write('build', `$ ${command}\n`);
      await output.close();
    }
    const order = { ...plan, runId, command: shellCommand(command), size, instance: RELEASE };
    const { exitCode, reason } = await this.#run({ ...order, stream: 'build', lastLines: LAST_LINES }, signal);
    if (exitCode !== 0) throw new RollFailed(`the release command ${reason}`);
  }

  /** @throws RollFailed unless the image has all process types of the plan. */
  async requireProcesses(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    const types = processesOf(plan).map(([type]) => type);
    if (types.length === 0) return;
    const { rollId, instance: size } = plan;
    const order = { ...plan, runId: `types-${rollId}`, command: processCheck(types), size, instance: RELEASE };
    const { exitCode, reason } = await this.#run({ ...order, stream: undefined, lastLines: 1 }, signal);
    if (exitCode === 0) return;
    const missing = reason?.split('\n').at(-1) ?? '';
    throw new RollFailed(
      types.includes(missing)
        ? `the Procfile of this release has no process type ${missing}`
        : `the process types could not be checked: ${reason}`,
    );
  }

  /** Ends all commands of a web service. */
  async end(webServiceId: string, reason: string): Promise<void> {
    const jobs = await this.#jobsOf(webServiceId);
    await Promise.all(
      jobs
        .filter(job => endOf(job) === undefined)
        .map(({ metadata }) => this.#cancel(metadata.labels?.[LABEL.command] ?? '', reason)),
    );
  }

  /** Ends the commands of a web service and deletes their Jobs. */
  async remove(webServiceId: string): Promise<void> {
    await this.end(webServiceId, 'stopped because the web service was deleted');
    for (const { metadata } of await this.#jobsOf(webServiceId)) await this.#delete(metadata.name);
  }

  /** Deletes the records of commands that ended long ago. */
  async sweep(): Promise<void> {
    for (const job of await this.parts.cluster.list<Job>('Job', `${OURS},${LABEL.command}`)) {
      const age = Date.now() - Date.parse(job.metadata.creationTimestamp ?? '');
      if (endOf(job) && age > KEPT_MS) await this.#delete(job.metadata.name);
    }
  }

  async #run(order: CommandOrder, signal: AbortSignal): Promise<RunEnd> {
    signal.throwIfAborted();
    const { cluster, settings, follower, pollMs } = this.parts;
    const { runId, stream } = order;
    const known = await this.#find(runId);
    const before = known && endOf(known);
    if (before) return before;
    if (stream) follower.followCommand({ ...order, stream });
    if (!known) {
      await cluster.apply(commandSecret(order));
      await cluster.apply(commandJob(order, settings));
    }
    for (;;) {
      const end = await this.#endOf(order);
      if (end) return end;
      await pause(pollMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) continue;
      if (!(signal.reason instanceof OrderInterrupted)) await this.#cancel(runId, 'was cancelled');
      throw signal.reason;
    }
  }

  /** The result of a command that has ended; undefined before. */
  async #endOf(order: CommandOrder): Promise<RunEnd | undefined> {
    const { cluster, follower, mask } = this.parts;
    const { runId, secrets, stream } = order;
    const job = await this.#find(runId);
    if (!job) return { exitCode: null, reason: 'stopped because the web service was deleted' };
    const recorded = endOf(job);
    if (recorded) return recorded;
    const failed = job.status?.conditions?.find(
      ({ type, status }) => /^(Failed|FailureTarget)$/.test(type) && status === 'True',
    );
    if (failed?.reason === 'DeadlineExceeded')
      return this.#finish(runId, { exitCode: null, reason: 'did not finish before its deadline' });
    const pod = await this.#podOf(runId);
    const ended = pod && webOf(pod)?.state?.terminated;
    if (ended) {
      if (stream) await follower.takeCommand(runId);
      const { exitCode, message = '' } = ended;
      const lines = message.trim().split('\n').filter(Boolean);
      const lastLines = lines.slice(Math.max(0, lines.length - order.lastLines));
      const reason = exitCode === 0 ? null : mask([endReason(ended), ...lastLines].join('\n'), secrets);
      return this.#finish(runId, { exitCode: exitCode > 128 ? null : exitCode, reason });
    }
    if (pod && hasFailedPermanently(pod)) {
      await this.#cancel(runId, `could not be started: ${mask(await whyNotReady(cluster, undefined, [pod]), secrets)}`);
      return undefined;
    }
    return failed && !pod ? this.#finish(runId, { exitCode: null, reason: INTERRUPTED }) : undefined;
  }

  /** Suspends the Job, which ends its pod; a Job that has ended meanwhile stays unchanged. */
  async #cancel(runId: string, reason: string): Promise<void> {
    const { cluster, pollMs } = this.parts;
    const job = await this.#find(runId);
    if (!job) return;
    const end = endOf(job) ?? { exitCode: null, reason };
    await cluster.merge({ kind: 'Job', name: commandName(runId) }, { ...annotated(end), spec: { suspend: true } });
    while (await this.#podOf(runId, { alsoEnding: true })) await pause(pollMs);
    await cluster.remove({ kind: 'Secret', name: commandName(runId) });
  }

  async #finish(runId: string, end: RunEnd): Promise<RunEnd> {
    const name = commandName(runId);
    await this.parts.cluster.merge({ kind: 'Job', name }, annotated(end));
    await this.parts.cluster.remove({ kind: 'Secret', name });
    return end;
  }

  #find(runId: string): Promise<Job | undefined> {
    return this.parts.cluster.find<Job>({ kind: 'Job', name: commandName(runId) });
  }

  #jobsOf(webServiceId: string): Promise<readonly Job[]> {
    return this.parts.cluster.list<Job>('Job', `${OURS},${LABEL.commandOf}=${webServiceId}`);
  }

  async #podOf(runId: string, { alsoEnding = false } = {}): Promise<Pod | undefined> {
    const pods = await this.parts.cluster.list<Pod>('Pod', `${OURS},${LABEL.command}=${runId}`);
    return pods.find(({ metadata }) => alsoEnding || metadata.deletionTimestamp === undefined);
  }

  async #delete(name: string): Promise<void> {
    await this.parts.cluster.remove({ kind: 'Job', name });
    await this.parts.cluster.remove({ kind: 'Secret', name });
  }
}

const annotated = (end: RunEnd) => ({ metadata: { annotations: { [ANNOTATION.end]: JSON.stringify(end) } } });

const endOf = ({ metadata }: Job): RunEnd | undefined => {
  const text = metadata.annotations?.[ANNOTATION.end];
  return text === undefined ? undefined : runEnd.parse(JSON.parse(text));
};
