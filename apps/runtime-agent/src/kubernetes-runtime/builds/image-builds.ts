import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@postern/messaging';
import {
  BuildFailed,
  type BuildOrder,
  type BuiltArtefact,
  type CommitDescription,
  type LogWriter,
  SourceUnavailable,
} from '@postern/runtime';
import { commitDescription } from '../../infrastructure/git/commit-description.js';
import type { PinnedRemote, PinnedRemotes } from '../../infrastructure/git/pinned-remotes.js';
import type { Cluster } from '../cluster.js';
import { referenceOf } from '../objects/artefact-references.js';
import { buildJob, buildSecret, builtImage } from '../objects/build-objects.js';
import { BUILDER, FETCHER, PUSHER } from '../objects/build-pod.js';
import type { BuildObjectSettings, ImagePrograms } from '../objects/build-settings.js';
import type { ContainerState, Job, Pod, Terminated } from '../objects/kinds.js';
import { buildName, LABEL, OURS } from '../objects/names.js';
import { BuildProgress } from './build-progress.js';
import type { DescribeGitError } from './job-sources.js';
import type { StoredImages } from './stored-images.js';

export interface BuildParts {
  readonly cluster: Cluster;
  readonly settings: BuildObjectSettings;
  readonly programs: () => Promise<ImagePrograms>;
  readonly images: StoredImages;
  readonly remotes: PinnedRemotes;
  /** Translates an error of git about an address. */
  readonly describeError: DescribeGitError;
  readonly log: Log;
  readonly pollMs: number;
  /** How long a new image is kept, because the caller may not know about it yet. */
  readonly minimumAgeMs: number;
}

/** Time beyond the Job's own deadline, so that the status of the ended Job is read before the build counts as too late. */
const LEEWAY_MS = 60_000;

/** Builds images as Jobs, without a limit on concurrent builds. */
export class ImageBuilds {
  readonly #underWay = new Set<string>();

  constructor(private readonly parts: BuildParts) {}

  async build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<BuiltArtefact> {
    const { deploymentId } = order;
    this.#underWay.add(deploymentId);
    try {
      const done = await this.#artefactOf(order);
      return done ?? (await this.#build(order, output, signal));
    } finally {
      this.#underWay.delete(deploymentId);
    }
  }

  /** Ends builds of an earlier leader; they are ordered again and start from the beginning. */
  async reconcile(): Promise<void> {
    const { cluster } = this.parts;
    for (const { metadata, status } of await cluster.list<Job>('Job', `${OURS},${LABEL.build}`))
      if (!this.#underWay.has(metadata.labels?.[LABEL.build] ?? '') && !status?.conditions?.length)
        await cluster.remove({ kind: 'Job', name: metadata.name });
    for (const { metadata } of await cluster.list('Secret', `${OURS},${LABEL.build}`))
      if (!this.#underWay.has(metadata.labels?.[LABEL.build] ?? ''))
        await cluster.remove({ kind: 'Secret', name: metadata.name });
  }

  /** Ends the builds of a web service, and removes everything that is left of them, also from the registry. */
  async remove(webServiceId: string): Promise<void> {
    const { cluster, images, pollMs } = this.parts;
    const selector = `${OURS},${LABEL.buildsFor}=${webServiceId}`;
    for (const { metadata } of await cluster.list<Job>('Job', selector)) {
      await cluster.remove({ kind: 'Job', name: metadata.name });
      await cluster.remove({ kind: 'Secret', name: metadata.name });
    }
    // A pod that is terminating could still push.
    while ((await cluster.list<Pod>('Pod', selector)).length > 0) await pause(pollMs);
    await images.remove(webServiceId);
  }

  /** Deletes all images except those in `keep`, those of running builds, and images too new to be known to the caller. */
  async retain(keep: ReadonlySet<string>): Promise<void> {
    const { cluster, images, minimumAgeMs } = this.parts;
    const jobs = await cluster.list<Job>('Job', `${OURS},${LABEL.build}`);
    const fresh = jobs
      .filter(
        ({ status: { completionTime } = {} }) =>
          !completionTime || Date.now() - Date.parse(completionTime) < minimumAgeMs,
      )
      .map(({ metadata }) => metadata.labels?.[LABEL.build] ?? '');
    await images.retain(keep, new Set([...this.#underWay, ...fresh]));
  }

  async #build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<BuiltArtefact> {
    const { cluster, settings } = this.parts;
    const { deploymentId, deadlineMs } = order;
    const programs = await this.parts.programs();
    const remote = await this.#pin(order);
    const over = new AbortController();
    const end = AbortSignal.any([signal, over.signal, AbortSignal.timeout(deadlineMs + LEEWAY_MS)]);
    const progress = new BuildProgress(output);
    let following: Promise<void> | undefined;
    try {
      await this.#remove(deploymentId);
      await cluster.apply(buildSecret(order, programs, settings, remote));
      await cluster.apply(buildJob(order, programs, settings, remote));
      output.write('build', `Building ${order.commit} in Kubernetes\n`);
      following = this.#follow(deploymentId, progress, end);
      await this.#untilEnded(deploymentId, end);
      await following;
      const artefact = await this.#artefactOf(order);
      if (!artefact) {
        const description = fetchedCommit(await this.#podOf(deploymentId));
        throw new BuildFailed(await this.#why(order, remote, progress), description);
      }
      return artefact;
    } catch (error) {
      await this.#remove(deploymentId);
      signal.throwIfAborted();
      throw error;
    } finally {
      over.abort();
      await following;
      await cluster.remove({ kind: 'Secret', name: buildName(deploymentId) });
    }
  }

  async #pin({ repositoryUrl, credentials }: BuildOrder): Promise<PinnedRemote> {
    try {
      return await this.parts.remotes.pin(repositoryUrl, credentials);
    } catch (error) {
      throw error instanceof SourceUnavailable ? new BuildFailed(error.message) : error;
    }
  }

  /** The digest is in the termination message of the last container, which is available as long as its Job exists. */
  async #artefactOf({ deploymentId, commit }: BuildOrder): Promise<BuiltArtefact | undefined> {
    const pod = await this.#podOf(deploymentId);
    const pushed = endOf(pod, PUSHER);
    if (pushed?.exitCode !== 0) return undefined;
    const built = endOf(pod, BUILDER)?.message ?? '';
    const description = fetchedCommit(pod);
    return {
      reference: referenceOf(builtImage(built, pushed.message ?? '', this.parts.settings.repository)),
      commit,
      ...(description && { description }),
    };
  }

  async #podOf(deploymentId: string): Promise<Pod | undefined> {
    const pods = await this.parts.cluster.list<Pod>('Pod', `${OURS},${LABEL.build}=${deploymentId}`);
    return pods.find(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async #follow(deploymentId: string, progress: BuildProgress, signal: AbortSignal): Promise<void> {
    const { cluster, pollMs, log } = this.parts;
    try {
      while (!signal.aborted) {
        const pod = await this.#podOf(deploymentId);
        const state = stateOf(pod, BUILDER);
        if (pod && (state?.running || state?.terminated)) {
          const decoder = new TextDecoder();
          const lines = new StampedLines(line => progress.push(`${line}\n`));
          for await (const chunk of cluster.followLog(pod.metadata.name, { container: BUILDER }, signal))
            lines.push(decoder.decode(chunk, { stream: true }));
          return;
        }
        if (await this.#isEnded(deploymentId)) return;
        await pause(pollMs, undefined, { signal });
      }
    } catch (err) {
      if (!signal.aborted) log.warn({ err, deploymentId }, 'The output of a build was cut off');
    } finally {
      progress.end();
    }
  }

  async #untilEnded(deploymentId: string, signal: AbortSignal): Promise<void> {
    while (!(await this.#isEnded(deploymentId))) {
      await pause(this.parts.pollMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) throw new BuildFailed('the build did not end in time');
    }
  }

  async #isEnded(deploymentId: string): Promise<boolean> {
    const job = await this.parts.cluster.find<Job>({ kind: 'Job', name: buildName(deploymentId) });
    if (!job) return true;
    return (
      job.status?.conditions?.some(({ type, status }) => /^(Complete|Failed)$/.test(type) && status === 'True') ?? false
    );
  }

  async #why(order: BuildOrder, { access }: PinnedRemote, progress: BuildProgress): Promise<string> {
    const { cluster, describeError, settings } = this.parts;
    const job = await cluster.find<Job>({ kind: 'Job', name: buildName(order.deploymentId) });
    const failed = job?.status?.conditions?.find(({ type }) => type === 'Failed');
    if (failed?.reason === 'DeadlineExceeded') return `the build took longer than ${order.deadlineMs / 1_000} s`;
    const pod = await this.#podOf(order.deploymentId);
    const [fetcher, builder, pusher] = [FETCHER, BUILDER, PUSHER].map(name => endOf(pod, name));
    if (fetcher && fetcher.exitCode !== 0) return describeError(fetcher.message ?? '', order.repositoryUrl, access);
    if (builder?.reason === 'OOMKilled') return `the build used more than ${settings.memoryMiB} MiB of memory`;
    if (pusher) return `the image cannot be pushed: ${messageOf(pusher)}`;
    return progress.failure ?? failed?.message ?? 'the build ended without an image';
  }

  /** Removes an earlier attempt; none of its pods runs when this returns. */
  async #remove(deploymentId: string): Promise<void> {
    const { cluster, pollMs } = this.parts;
    const name = buildName(deploymentId);
    await cluster.remove({ kind: 'Job', name });
    await cluster.remove({ kind: 'Secret', name });
    while (
      (await cluster.find({ kind: 'Job', name })) ||
      (await cluster.list('Pod', `${OURS},${LABEL.build}=${deploymentId}`)).length > 0
    )
      await pause(pollMs);
  }
}

const stateOf = (pod: Pod | undefined, container: string): ContainerState | undefined =>
  [...(pod?.status?.initContainerStatuses ?? []), ...(pod?.status?.containerStatuses ?? [])].find(
    ({ name }) => name === container,
  )?.state;

const endOf = (pod: Pod | undefined, container: string): Terminated | undefined => stateOf(pod, container)?.terminated;

/** The termination message of the container that fetched the commit. */
const fetchedCommit = (pod: Pod | undefined): CommitDescription | undefined => {
  const fetcher = endOf(pod, FETCHER);
  return fetcher?.exitCode === 0 ? commitDescription(fetcher.message ?? '') : undefined;
};

const messageOf = ({ message, reason, exitCode }: Terminated): string =>
  (message ?? '').trim() || `${reason ?? 'Error'} (exit code ${exitCode})`;

/** Strips the timestamp at the start of each line. */
class StampedLines {
  #rest = '';
  constructor(private readonly onLine: (line: string) => void) {}

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.onLine(line.slice(line.indexOf(' ') + 1));
  }
}
