import { describe, expect, it } from '@jest/globals';
import type { ServicePlan } from '@postern/runtime';
import { ProvenPlans } from './proven-plans.js';

const served: ServicePlan = {
  webServiceId: 'service',
  name: 'shop',
  rollId: 'roll-1',
  artefact: { reference: 'artefact-1', commit: 'a1' },
  startCommand: 'node server.js',
  port: 3000,
  healthCheckPath: undefined,
  minInstances: 1,
  maxInstances: 1,
  environment: { POSTERN_DEPLOYMENT_ID: 'deployment-1', POSTERN_GIT_COMMIT: 'a1', LEVEL: 'info' },
  secrets: [],
  deadlineMs: 60_000,
};

const isProven = (changes: Partial<ServicePlan>): boolean => {
  const proven = new ProvenPlans();
  proven.add(served);
  return proven.has({ ...served, ...changes });
};

describe('A plan that has served', () => {
  it.each<[string, Partial<ServicePlan>]>([
    ['a restart', { rollId: 'roll-2' }],
    [
      'a rollback, which is a deployment of its own',
      { environment: { ...served.environment, POSTERN_DEPLOYMENT_ID: 'deployment-3' } },
    ],
    ['another number of instances', { maxInstances: 3 }],
  ])('is not observed again for %s', (_, changes) => {
    expect(isProven(changes)).toBe(true);
  });

  it.each<[string, Partial<ServicePlan>]>([
    ['another artefact', { artefact: { ...served.artefact, reference: 'artefact-2' } }],
    ['another start command', { startCommand: 'node other.js' }],
    ['another value of a variable', { environment: { ...served.environment, LEVEL: 'debug' } }],
    ['a variable that is gone', { environment: {} }],
  ])('is observed with %s', (_, changes) => {
    expect(isProven(changes)).toBe(false);
  });
});
