import { Injectable } from '@nestjs/common';
import { Runtime } from '../ports/runtime.js';
import { WebServiceLedger, WebServiceSettings, WebServiceStandings } from '../web-services/ports.js';
import { nextSteps } from './next-steps.js';
import { ServicePlans } from './service-plans.js';

/** Holds the runtime against the truth: what serves gets back what it lost, and what belongs to nothing goes. */
@Injectable()
export class ReconcileRuntime {
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
}
