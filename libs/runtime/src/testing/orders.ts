import { randomUUID } from 'node:crypto';
import type { BuildOrder } from '../runtime.js';
import type { Artefact, ServicePlan } from '../service-plan.js';

/** The build order of a new web service for a commit, with defaults for everything except `changes`. */
export const buildOrderOf = (
  source: Pick<BuildOrder, 'repositoryUrl' | 'commit'>,
  changes: Partial<BuildOrder> = {},
): BuildOrder => ({
  deploymentId: randomUUID(),
  webServiceId: randomUUID(),
  ...source,
  buildCommand: undefined,
  startCommand: undefined,
  environment: {},
  secrets: [],
  deadlineMs: 60_000,
  ...changes,
});

/** A plan of one instance of a new web service, with defaults for everything except `changes`. */
export const servicePlanOf = (artefact: Artefact, changes: Partial<ServicePlan> = {}): ServicePlan => ({
  webServiceId: randomUUID(),
  name: 'shop',
  rollId: randomUUID(),
  artefact,
  startCommand: undefined,
  port: 8080,
  healthCheckPath: undefined,
  minInstances: 1,
  maxInstances: 1,
  environment: {},
  secrets: [],
  deadlineMs: 20_000,
  ...changes,
});
