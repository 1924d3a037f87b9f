import { createHash } from 'node:crypto';
import type { ServicePlan } from '@postern/runtime';

/** What the instances of a plan run, independent of its roll, of its deployment and of their number. */
const keyOf = (plan: ServicePlan): string => {
  const { artefact, startCommand, port, healthCheckPath, healthCheck, environment, files, instance, disk } = plan;
  const run = [
    artefact.reference,
    startCommand,
    port,
    healthCheckPath,
    healthCheck,
    Object.entries(environment)
      .filter(([name]) => name !== 'POSTERN_DEPLOYMENT_ID')
      .sort(),
    Object.entries(files ?? {}).sort(),
    instance,
    disk,
  ];
  return createHash('sha256').update(JSON.stringify(run)).digest('base64');
};

/** The plans of a web service that have already served: restarts and rollbacks to them need no observation. */
export class ProvenPlans {
  readonly #keys = new Set<string>();

  add(plan: ServicePlan): void {
    this.#keys.delete(keyOf(plan));
    this.#keys.add(keyOf(plan));
    const [oldest] = this.#keys;
    if (this.#keys.size > MAX_PLANS && oldest !== undefined) this.#keys.delete(oldest);
  }

  has(plan: ServicePlan): boolean {
    return this.#keys.has(keyOf(plan));
  }
}

const MAX_PLANS = 50;
