import { Injectable } from '@nestjs/common';
import { Runtime, type RuntimeStatus } from '../ports/runtime.js';
import { type InstanceReading, PlatformObserver } from '../web-services/platform-observer.js';
import {
  type ServingRelease,
  WebServiceLedger,
  WebServiceSettings,
  WebServiceStandings,
} from '../web-services/ports.js';
import { duration } from './next-steps.js';

/**
 * Looks at what serves. A service of which nothing has answered for long is `failed`, still tried again by the runtime,
 * and `running` once it answers.
 */
@Injectable()
export class LookAfterServices {
  /** Since when nothing of a service has answered, by its release. */
  readonly #silentSince = new Map<string, number>();

  constructor(
    private readonly ledger: WebServiceLedger,
    private readonly standings: WebServiceStandings,
    private readonly runtime: Runtime,
    private readonly settings: WebServiceSettings,
    private readonly observer: PlatformObserver,
  ) {}

  /** Looks at every service that serves, and judges those that nothing is being done to. */
  async run(changing: () => ReadonlySet<string>): Promise<void> {
    const leftAlone = changing();
    const serving = await this.standings.serving();
    const rolls = new Set(serving.map(({ rollId }) => rollId));
    for (const rollId of this.#silentSince.keys()) if (!rolls.has(rollId)) this.#silentSince.delete(rollId);
    const readings: InstanceReading[] = [];
    for (const release of serving) {
      const { webServiceId } = release;
      const status = await this.runtime.statusOf(webServiceId);
      readings.push({ webServiceId, status });
      if (!leftAlone.has(webServiceId)) await this.#judge(release, status);
    }
    this.observer.looked(readings);
  }

  /** Another process looks after them from now on. */
  end(): void {
    this.observer.looked([]);
  }

  async #judge(release: ServingRelease, status: RuntimeStatus | undefined): Promise<void> {
    const { webServiceId, rollId: releaseId } = release;
    if (status && status.healthy > 0) {
      this.#silentSince.delete(releaseId);
      if (release.answering) return;
      await this.ledger.record(webServiceId, at => ({ kind: 'report-answering', releaseId, at }));
      return;
    }
    const since = this.#silentSince.get(releaseId) ?? Date.now();
    this.#silentSince.set(releaseId, since);
    if (!release.answering || Date.now() - since < this.settings.unansweringMs) return;
    const cause = status?.lastFailure ? `: ${status.lastFailure}` : '';
    const reason = `nothing has answered for ${duration(this.settings.unansweringMs)}${cause}`.slice(0, 2_000);
    await this.ledger.record(webServiceId, at => ({ kind: 'report-unanswering', releaseId, reason, at }));
  }
}
