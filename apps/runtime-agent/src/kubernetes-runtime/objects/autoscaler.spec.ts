import { describe, expect, it } from '@jest/globals';
import type { ServicePlan } from '@postern/runtime';
import { autoscaler, type ServiceObjectSettings } from './service-objects.js';

const settings = { memoryMiB: 512, cpuMillicores: 1_000 } as ServiceObjectSettings;

/** The targets of the autoscaler, by resource. */
const targets = (autoscaling?: ServicePlan['autoscaling']): Record<string, string> => {
  const plan = { webServiceId: 'shop', minInstances: 1, maxInstances: 3, autoscaling } as ServicePlan;
  const { spec } = autoscaler(plan, settings) as unknown as {
    spec: { metrics: { resource: { name: string; target: { averageValue: string } } }[] };
  };
  return Object.fromEntries(spec.metrics.map(({ resource }) => [resource.name, resource.target.averageValue]));
};

describe('the autoscaler of a web service', () => {
  it('has the target of 70 % of the CPU', () => expect(targets()).toEqual({ cpu: '700m' }));

  it('has the targets of the plan', () => {
    expect(targets({ cpuPercent: 50, memoryPercent: 75 })).toEqual({ cpu: '500m', memory: '384Mi' });
    expect(targets({ cpuPercent: null, memoryPercent: 75 })).toEqual({ memory: '384Mi' });
  });
});
