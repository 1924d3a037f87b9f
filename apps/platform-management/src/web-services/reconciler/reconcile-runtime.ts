import { Injectable } from '@nestjs/common';
import { Runtime } from '@postern/runtime';
import { WebServiceSummaries } from '../services/web-service-summaries.js';
import { ServicePlans } from './service-plans.js';
import { StepPlanner } from './step-planner.js';

/**
 * Makes the runtime match the events: starts missing instances and removes instances without a release. A web service whose
 * configuration cannot be read keeps its instances.
 */
@Injectable()
export class ReconcileRuntime {
  constructor(
    private readonly summaries: WebServiceSummaries,
    private readonly planner: StepPlanner,
    private readonly plans: ServicePlans,
    private readonly runtime: Runtime,
  ) {}

  /**
   * @param changing returns web services and rolls with a change in progress. It is called before the summaries are read,
   * so that a release that ends in between is skipped instead of removed.
   */
  async run(changing: () => ReadonlySet<string>): Promise<void> {
    const skipped = changing();
    const serving = await this.summaries.serving();
    const plans = await Promise.all(serving.map(release => this.plans.of(release)));
    const withoutPlan = serving.filter((_, place) => plans[place] === undefined);
    await this.runtime.reconcile(
      plans.filter(plan => plan !== undefined),
      new Set([...skipped, ...withoutPlan.map(({ webServiceId }) => webServiceId)]),
    );
  }

  /** Returns the rolls that this leader resumes from a previous one, and their web services. */
  async resumed(): Promise<ReadonlySet<string>> {
    const resumed = new Set<string>();
    for (const id of await this.summaries.withWork()) {
      const { steps } = await this.planner.plan(id, {});
      for (const step of steps) if (step.kind === 'roll') resumed.add(id).add(step.releaseId);
    }
    return resumed;
  }
}
