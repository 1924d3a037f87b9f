import { DEFAULT_CPU_PERCENT, type ServicePlan, type ServiceUsage, scalingTargets } from '@postern/runtime';

export interface ScalingRules {
  /** The length of the averaging window. No decision is made before it has passed. */
  readonly windowMs: number;
  readonly cooldownMs: number;
  /** The target without settings, in percent of an instance's CPU limit. */
  readonly cpuPercent: number;
  /** An instance is removed below this share of the targets. */
  readonly downBelow: number;
}

export const SCALING: ScalingRules = {
  windowMs: 60_000,
  cooldownMs: 120_000,
  cpuPercent: DEFAULT_CPU_PERCENT,
  downBelow: 3 / 7,
};

/** What the instances of a service use. */
export interface Demand extends Pick<ServiceUsage, 'cpuPercent' | 'memoryPercent'> {
  /** Of each instance. */
  readonly requestsPerSecond: number;
}

export type ScalingBounds = Pick<ServicePlan, 'minInstances' | 'maxInstances' | 'autoscaling'>;

interface Sample {
  readonly at: number;
  readonly demand: Demand;
}

/**
 * Decides how many instances a service should have, from the target that they exceed most. Adds or removes one at a
 * time, and none within the cooldown after the last change, so that a new instance can take its share of the work.
 */
export class Scaling {
  #samples: Sample[] = [];
  #since: number | undefined;

  constructor(private readonly rules: ScalingRules) {}

  /** @param now milliseconds of a monotonic clock. */
  decide(demand: Demand, instances: number, bounds: ScalingBounds, now: number): number {
    this.#since ??= now;
    this.#samples = [...this.#samples.filter(({ at }) => now - at < this.rules.windowMs), { at: now, demand }];
    if (now - this.#since < this.rules.windowMs) return instances;
    const wanted = this.#wanted(instances, bounds);
    if (wanted !== instances) this.#since = now + this.rules.cooldownMs - this.rules.windowMs;
    if (wanted !== instances) this.#samples = [];
    return wanted;
  }

  #wanted(instances: number, { minInstances, maxInstances, autoscaling }: ScalingBounds): number {
    const load = this.#load(autoscaling);
    if (instances < maxInstances && load > 1) return instances + 1;
    if (instances > minInstances && load < this.rules.downBelow) return instances - 1;
    return instances;
  }

  /** The largest average, relative to its target. */
  #load(autoscaling: ScalingBounds['autoscaling']): number {
    const targets = scalingTargets(autoscaling, this.rules.cpuPercent);
    const average = (name: keyof Demand) =>
      this.#samples.reduce((sum, { demand }) => sum + demand[name], 0) / this.#samples.length;
    const loads = Object.entries(targets).map(([name, target]) =>
      target ? average(name as keyof Demand) / target : 0,
    );
    return Math.max(...loads);
  }
}

/** Limits a number of instances to the plan's bounds; 1 with a disk. */
export const sizeWithin = ({ minInstances, maxInstances, disk }: ServicePlan, size: number): number =>
  disk ? 1 : Math.min(Math.max(size, minInstances), maxInstances);
