import { Injectable } from '@nestjs/common';
import { Runtime, type RuntimeStatus } from '@postern/runtime';
import { type InstanceReading, type ServingRelease } from '../services/ports.js';
import { WebServiceMetrics } from '../services/telemetry/web-service-metrics.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServiceSummaries } from '../services/web-service-summaries.js';
import { type CrashLoop, RestartWindow } from './crash-loop.js';
import { duration } from './next-steps.js';
import { ReconcilerSettings } from './ports.js';

/**
 * Sets a web service to `failed` when no instance responds for too long or instances crash repeatedly, and back to `running` when an
 * instance responds and stays up. The runtime restarts instances in any case.
 */
@Injectable()
export class CheckAvailability {
  /** Time at which a release stopped responding, by release id. */
  readonly #silentSince = new Map<string, number>();
  /** Restarts by release id. */
  readonly #restarts = new Map<string, RestartWindow>();

  constructor(
    private readonly repository: WebServiceRepository,
    private readonly summaries: WebServiceSummaries,
    private readonly runtime: Runtime,
    private readonly settings: ReconcilerSettings,
    private readonly observer: WebServiceMetrics,
  ) {}

  /** Reads the status of every serving release, and reports on the releases without a change in progress. */
  async run(changing: () => ReadonlySet<string>): Promise<void> {
    const skipped = changing();
    const serving = await this.summaries.serving();
    const rolls = new Set(serving.map(({ rollId }) => rollId));
    for (const known of [this.#silentSince, this.#restarts])
      for (const rollId of known.keys()) if (!rolls.has(rollId)) known.delete(rollId);
    const readings: InstanceReading[] = [];
    for (const release of serving) {
      const { webServiceId } = release;
      const status = await this.runtime.statusOf(webServiceId);
      readings.push({ webServiceId, status });
      if (!skipped.has(webServiceId)) await this.#report(release, status);
    }
    this.observer.instancesRead(readings);
  }

  /** Clears the readings when this process no longer leads. */
  end(): void {
    this.observer.instancesRead([]);
  }

  async #report(release: ServingRelease, status: RuntimeStatus | undefined): Promise<void> {
    const { webServiceId, rollId: releaseId } = release;
    const loop = this.#crashLoopOf(releaseId, status);
    if (loop) {
      if (!release.answering) return;
      const failure = `restarted ${loop.restarts} times in ${duration(loop.overMs)}`;
      return this.#unanswering(release, failure, status);
    }
    if (status && (status.healthy > 0 || status.asleep)) {
      this.#silentSince.delete(releaseId);
      if (release.answering) return;
      await this.repository.record(webServiceId, at => ({ kind: 'report-answering', releaseId, at }));
      return;
    }
    const since = this.#silentSince.get(releaseId) ?? Date.now();
    this.#silentSince.set(releaseId, since);
    if (!release.answering || Date.now() - since < this.settings.unansweringMs) return;
    await this.#unanswering(release, `no instance has responded for ${duration(this.settings.unansweringMs)}`, status);
  }

  #crashLoopOf(releaseId: string, status: RuntimeStatus | undefined): CrashLoop | undefined {
    const window = this.#restarts.get(releaseId) ?? new RestartWindow();
    this.#restarts.set(releaseId, window);
    if (status?.rollId === releaseId) window.read(status.restarts, Date.now());
    return window.crashLoop;
  }

  async #unanswering(
    { webServiceId, rollId: releaseId }: ServingRelease,
    failure: string,
    status: RuntimeStatus | undefined,
  ): Promise<void> {
    const cause = status?.lastFailure ? `: ${status.lastFailure}` : '';
    const reason = `${failure}${cause}`.slice(0, 2_000);
    await this.repository.record(webServiceId, at => ({ kind: 'report-unanswering', releaseId, reason, at }));
  }
}
