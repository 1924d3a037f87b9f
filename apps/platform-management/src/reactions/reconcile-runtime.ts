import { Injectable } from '@nestjs/common';
import { duration, nextSteps } from '../domain/web-service/next-steps.js';
import { Runtime, type RuntimeStatus } from '../ports/runtime.js';
import {
  type ServingRelease,
  WebServiceLedger,
  WebServiceSettings,
  WebServiceStandings,
} from '../ports/web-services.js';
import { ServicePlans } from './service-plans.js';

/**
 * Holds the runtime against the truth: what serves gets back what it lost, and what belongs to nothing goes. A service
 * of which nothing has answered for long is `failed`, still tried again by the runtime, and `running` once it answers.
 */
@Injectable()
export class ReconcileRuntime {
  /** Since when nothing of a service has answered, by its release. */
  readonly #silentSince = new Map<string, number>();

  constructor(
    private readonly ledger: WebServiceLedger,
    private readonly standings: WebServiceStandings,
    private readonly plans: ServicePlans,
    private readonly runtime: Runtime,
    private readonly settings: WebServiceSettings,
  ) {}

  /**
   * @param changing tells services and rolls with a change under way. Asked before the standings are read: a release
   * that ends in between is then left alone, instead of being taken for one that nobody wants.
   */
  async run(changing: () => ReadonlySet<string>): Promise<void> {
    const leftAlone = changing();
    const serving = await this.standings.serving();
    const plans = await Promise.all(serving.map(release => this.plans.of(release)));
    await this.runtime.reconcile(
      plans.filter(plan => plan !== undefined),
      leftAlone,
    );
  }

  /** Rolls that an earlier leader began and this one goes on with, and their services. */
  async resumed(): Promise<ReadonlySet<string>> {
    const resumed = new Set<string>();
    for (const id of await this.standings.withWork()) {
      const steps = nextSteps(await this.ledger.stateOf(id), {}, Date.now(), this.settings.deadlines);
      for (const step of steps) if (step.kind === 'roll') resumed.add(id).add(step.releaseId);
    }
    return resumed;
  }

  /** Looks at every service that serves and nothing is being done to. */
  async lookAfter(changing: () => ReadonlySet<string>): Promise<void> {
    const leftAlone = changing();
    const serving = await this.standings.serving();
    const rolls = new Set(serving.map(({ rollId }) => rollId));
    for (const rollId of this.#silentSince.keys()) if (!rolls.has(rollId)) this.#silentSince.delete(rollId);
    for (const release of serving) {
      if (leftAlone.has(release.webServiceId)) continue;
      await this.#judge(release, await this.runtime.statusOf(release.webServiceId));
    }
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
