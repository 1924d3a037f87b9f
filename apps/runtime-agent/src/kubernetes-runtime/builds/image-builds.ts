import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@postern/messaging';
import { type Artefact, BuildFailed, type BuildOrder, type LogWriter, SourceUnavailable } from '@postern/runtime';
import type { PinnedRemote, PinnedRemotes } from '../../infrastructure/git/pinned-remotes.js';
import type { Cluster } from '../cluster.js';
import { imageOf, referenceOf } from '../objects/artefact-references.js';
import {
  BUILDER,
  type BuildObjectSettings,
  buildJob,
  buildSecret,
  builtImage,
  FETCHER,
  type ImagePrograms,
} from '../objects/build-objects.js';
import type { Job, Pod, Terminated } from '../objects/kinds.js';
import { buildName, LABEL, OURS } from '../objects/names.js';
import { BuildProgress } from './build-progress.js';
import type { GitWords } from './job-sources.js';
import type { Registry } from './registry.js';

export interface BuildParts {
  readonly cluster: Cluster;
  readonly settings: BuildObjectSettings;
  readonly programs: () => Promise<ImagePrograms>;
  readonly registry: Registry;
  readonly remotes: PinnedRemotes;
  /** What git's complaint about an address means. */
  readonly gitWords: GitWords;
  readonly log: Log;
  readonly pollMs: number;
  /** How long a new image is kept: the caller may not know of it yet. */
  readonly spareMs: number;
}

/** Beyond the Job's own deadline: the Job has to be seen ended, not just to be late. */
const LEEWAY_MS = 60_000;

/** Builds images as Jobs, as many side by side as are asked for, and keeps those in the registry that are wanted. */
export class ImageBuilds {
  readonly #underWay = new Set<string>();
  readonly #digests = new Map<string, string>();

  constructor(private readonly parts: BuildParts) {}

  async build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<Artefact> {
    const { deploymentId } = order;
    this.#underWay.add(deploymentId);
    try {
      const done = await this.#artefactOf(order);
      return done ?? (await this.#build(order, output, signal));
    } finally {
      this.#underWay.delete(deploymentId);
    }
  }

  /** Ends what an earlier leader has begun: it will be asked for again from its beginning. */
  async reconcile(): Promise<void> {
    const { cluster } = this.parts;
    for (const { metadata, status } of await cluster.list<Job>('Job', `${OURS},${LABEL.build}`))
      if (!this.#underWay.has(metadata.labels?.[LABEL.build] ?? '') && !status?.conditions?.length)
        await cluster.remove({ kind: 'Job', name: metadata.name });
    for (const { metadata } of await cluster.list('Secret', `${OURS},${LABEL.build}`))
      if (!this.#underWay.has(metadata.labels?.[LABEL.build] ?? ''))
        await cluster.remove({ kind: 'Secret', name: metadata.name });
  }

  /** Ends the builds of a web service, and removes what is left of earlier ones in the cluster. */
  async remove(webServiceId: string): Promise<void> {
    const { cluster } = this.parts;
    for (const { metadata } of await cluster.list<Job>('Job', `${OURS},${LABEL.buildsFor}=${webServiceId}`)) {
      await cluster.remove({ kind: 'Job', name: metadata.name });
      await cluster.remove({ kind: 'Secret', name: metadata.name });
    }
  }

  /** Deletes from the registry; layers that no image uses go with the registry's own collection. */
  async retain(keep: ReadonlySet<string>): Promise<void> {
    const { cluster, registry, settings, spareMs, log } = this.parts;
    const jobs = await cluster.list<Job>('Job', `${OURS},${LABEL.build}`);
    const isFresh = ({ metadata, status }: Job) =>
      !status?.completionTime || Date.now() - Date.parse(status.completionTime) < spareMs
        ? metadata.labels?.[LABEL.build]
        : undefined;
    const spared = new Set([...this.#underWay, ...jobs.map(isFresh)]);
    const tags = await registry.tags();
    const digests = new Map<string, string>();
    for (const tag of tags) {
      const digest = this.#digests.get(tag) ?? (await registry.digestOf(tag));
      if (digest) digests.set(tag, digest);
    }
    const kept = new Set([...keep].map(reference => imageOf(reference).image));
    const isWanted = (tag: string, digest: string) => spared.has(tag) || kept.has(`${settings.repository}@${digest}`);
    const wanted = new Set([...digests].filter(entry => isWanted(...entry)).map(([, digest]) => digest));
    for (const [tag, digest] of digests) {
      this.#digests.set(tag, digest);
      if (wanted.has(digest)) continue;
      if (!(await registry.delete(digest))) {
        log.warn({ repository: settings.repository }, 'The registry deletes no images; old ones stay');
        return;
      }
      this.#digests.delete(tag);
      await cluster.remove({ kind: 'Job', name: buildName(tag) });
    }
  }

  async #build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<Artefact> {
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
      await cluster.apply(buildSecret(order, programs, remote));
      await cluster.apply(buildJob(order, programs, settings, remote));
      output.write('build', `Building ${order.commit} in Kubernetes\n`);
      following = this.#follow(deploymentId, progress, end);
      await this.#untilEnded(deploymentId, end);
      await following;
      const artefact = await this.#artefactOf(order);
      if (!artefact) throw new BuildFailed(await this.#why(order, remote, progress));
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

  /** The digest is in the message of the builder's end, which lasts as long as its Job. */
  async #artefactOf({ deploymentId, commit }: BuildOrder): Promise<Artefact | undefined> {
    const ended = (await this.#podOf(deploymentId))?.status?.containerStatuses?.find(({ name }) => name === BUILDER)
      ?.state?.terminated;
    if (ended?.exitCode !== 0) return undefined;
    return { reference: referenceOf(builtImage(ended.message ?? '', this.parts.settings.repository)), commit };
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
        const state = pod?.status?.containerStatuses?.find(({ name }) => name === BUILDER)?.state;
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
    const { cluster, gitWords, settings } = this.parts;
    const job = await cluster.find<Job>({ kind: 'Job', name: buildName(order.deploymentId) });
    const failed = job?.status?.conditions?.find(({ type }) => type === 'Failed');
    if (failed?.reason === 'DeadlineExceeded') return `the build took longer than ${order.deadlineMs / 1_000} s`;
    const status = (await this.#podOf(order.deploymentId))?.status;
    const endOf = (name: string): Terminated | undefined =>
      [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].find(
        container => container.name === name,
      )?.state?.terminated;
    const [fetcher, builder] = [endOf(FETCHER), endOf(BUILDER)];
    if (fetcher && fetcher.exitCode !== 0) return gitWords(fetcher.message ?? '', order.repositoryUrl, access);
    if (builder?.reason === 'OOMKilled') return `the build used more than ${settings.memoryMiB} MiB of memory`;
    return progress.failure ?? failed?.message ?? 'the build ended without an image';
  }

  /** Nothing of an earlier try runs any more when this returns. */
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

/** Takes the times off that come before each line. */
class StampedLines {
  #rest = '';
  constructor(private readonly onLine: (line: string) => void) {}

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.onLine(line.slice(line.indexOf(' ') + 1));
  }
}
