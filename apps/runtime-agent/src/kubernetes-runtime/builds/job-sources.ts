import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type ResolvedSource, type Source, SourceUnavailable } from '@postern/runtime';
import { displayedUrl } from '../../infrastructure/git/git-refusals.js';
import type { PinnedRemote, PinnedRemotes } from '../../infrastructure/git/pinned-remotes.js';
import { newHostKeys, type RemoteAccess } from '../../infrastructure/git/remote-access.js';
import { pickBranch, requestedRefs } from '../../infrastructure/git/remote-branches.js';
import type { Cluster } from '../cluster.js';
import type { BuildObjectSettings } from '../objects/build-settings.js';
import { printedHostKeys } from '../objects/git-pod.js';
import type { Job, Pod } from '../objects/kinds.js';
import { LABEL, OURS, sourceName } from '../objects/names.js';
import { LISTER, SOURCE_DEADLINE_SECONDS, sourceJob, sourceSecret } from '../objects/source-objects.js';

/** Translates an error of git, without credentials. */
export type DescribeGitError = (errors: string, url: string, access: RemoteAccess | undefined) => string;

export interface JobSourcesParts {
  readonly cluster: Cluster;
  readonly settings: BuildObjectSettings;
  readonly remotes: PinnedRemotes;
  readonly describeError: DescribeGitError;
  readonly pollMs: number;
}

const MAX_OUTPUT_BYTES = 8 * 2 ** 20;
/** Time beyond the Job's own deadline until its result is known. */
const LEEWAY_MS = 30_000;

/** Resolves sources in Jobs, so that git runs in an unprivileged pod, separate from the service account of this process. */
export class JobSources {
  readonly #underWay = new Set<string>();

  constructor(private readonly parts: JobSourcesParts) {}

  /** @throws SourceUnavailable, or the signal's reason. */
  async resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource> {
    const { cluster, settings, remotes } = this.parts;
    const remote = await remotes.pin(source.repositoryUrl, source.credentials);
    const id = randomUUID();
    this.#underWay.add(id);
    try {
      await cluster.apply(sourceSecret(id, remote, requestedRefs(source)));
      await cluster.apply(sourceJob(id, remote, settings));
      await this.#untilEnded(id, source, signal);
      return await this.#answerOf(id, source, remote);
    } finally {
      await this.#remove(id);
      this.#underWay.delete(id);
    }
  }

  /** Removes leftovers of an earlier process. */
  async reconcile(): Promise<void> {
    const { cluster } = this.parts;
    for (const kind of ['Job', 'Secret'] as const)
      for (const { metadata } of await cluster.list(kind, `${OURS},${LABEL.source}`))
        if (!this.#underWay.has(metadata.labels?.[LABEL.source] ?? ''))
          await cluster.remove({ kind, name: metadata.name });
  }

  async #answerOf(id: string, source: Source, { access }: PinnedRemote): Promise<ResolvedSource> {
    const { cluster, describeError } = this.parts;
    const { repositoryUrl: url } = source;
    const pod = (await cluster.list<Pod>('Pod', `${OURS},${LABEL.source}=${id}`))[0];
    const ended = pod?.status?.containerStatuses?.find(({ name }) => name === LISTER)?.state?.terminated;
    if (!pod || !ended) throw new SourceUnavailable(tooLate(url));
    if (ended.exitCode !== 0) throw new SourceUnavailable(describeError(ended.message ?? '', url, access));
    const output = await cluster.log(pod.metadata.name, { container: LISTER, limitBytes: MAX_OUTPUT_BYTES });
    const picked = pickBranch(output, source);
    if (typeof picked === 'string') throw new SourceUnavailable(picked);
    const hostKeys = newHostKeys(access, printedHostKeys(output));
    return { ...picked, ...(hostKeys !== undefined && { hostKeys }) };
  }

  async #untilEnded(id: string, { repositoryUrl }: Source, signal: AbortSignal): Promise<void> {
    const { cluster, pollMs } = this.parts;
    const limit = AbortSignal.timeout(SOURCE_DEADLINE_SECONDS * 1_000 + LEEWAY_MS);
    const end = AbortSignal.any([signal, limit]);
    for (;;) {
      const job = await cluster.find<Job>({ kind: 'Job', name: sourceName(id) });
      const isEnded = job?.status?.conditions?.some(
        ({ type, status }) => /^(?:Complete|Failed)$/.test(type) && status === 'True',
      );
      if (!job || isEnded) return;
      await pause(pollMs, undefined, { signal: end }).catch(() => {});
      signal.throwIfAborted();
      if (limit.aborted) throw new SourceUnavailable(tooLate(repositoryUrl));
    }
  }

  async #remove(id: string): Promise<void> {
    const { cluster } = this.parts;
    await cluster.remove({ kind: 'Job', name: sourceName(id) });
    await cluster.remove({ kind: 'Secret', name: sourceName(id) });
  }
}

const tooLate = (url: string): string =>
  `the repository ${displayedUrl(url)} did not answer within ${SOURCE_DEADLINE_SECONDS} s`;
