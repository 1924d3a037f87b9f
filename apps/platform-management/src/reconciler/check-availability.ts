import { Injectable } from '@nestjs/common';
import { Runtime, type RuntimeStatus } from '@postern/runtime';
import {
  type InstanceReading,
  type ServingRelease,
  WebServiceObserver,
  WebServiceRepository,
  WebServiceSummaries,
} from '../web-services/ports.js';
import { duration } from './next-steps.js';
import { ReconcilerSettings } from './ports.js';

/**
 * Checks whether serving releases answer. A web service without an answering instance for long becomes `failed`; the
 * runtime keeps restarting it, and it becomes `running` when an instance answers.
 */
@Injectable()
export class CheckAvailability {
  /** When the release of a web service last stopped answering, by release. */
  readonly #silentSince = new Map<string, number>();

  constructor(
    private readonly repository: WebServiceRepository,
    private readonly summaries: WebServiceSummaries,
    private readonly runtime: Runtime,
    private readonly settings: ReconcilerSettings,
    private readonly observer: WebServiceObserver,
  ) {}

  /** Reads the status of every serving release, and reports on those without a change in progress. */
  async run(changing: () => ReadonlySet<string>): Promise<void> {
    const skipped = changing();
    const serving = await this.summaries.serving();
    const rolls = new Set(serving.map(({ rollId }) => rollId));
    for (const rollId of this.#silentSince.keys()) if (!rolls.has(rollId)) this.#silentSince.delete(rollId);
    const readings: InstanceReading[] = [];
    for (const release of serving) {
      const { webServiceId } = release;
      const status = await this.runtime.statusOf(webServiceId);
      readings.push({ webServiceId, status });
      if (!skipped.has(webServiceId)) await this.#report(release, status);
    }
    this.observer.instancesRead(readings);
  }

  /** Another process checks from now on. */
  end(): void {
    this.observer.instancesRead([]);
  }

  async #report(release: ServingRelease, status: RuntimeStatus | undefined): Promise<void> {
    const { webServiceId, rollId: releaseId } = release;
    if (status && status.healthy > 0) {
      this.#silentSince.delete(releaseId);
      if (release.answering) return;
      await this.repository.record(webServiceId, at => ({ kind: 'report-answering', releaseId, at }));
      return;
    }
    const since = this.#silentSince.get(releaseId) ?? Date.now();
    this.#silentSince.set(releaseId, since);
    if (!release.answering || Date.now() - since < this.settings.unansweringMs) return;
    const cause = status?.lastFailure ? `: ${status.lastFailure}` : '';
    const reason = `nothing has answered for ${duration(this.settings.unansweringMs)}${cause}`.slice(0, 2_000);
    await this.repository.record(webServiceId, at => ({ kind: 'report-unanswering', releaseId, reason, at }));
  }
}
