export interface ScalingRules {
  /** Averages are taken over so much time; before that has passed nothing is decided. */
  readonly windowMs: number;
  readonly cooldownMs: number;
  /** Of the CPU limit of an instance. */
  readonly upAbovePercent: number;
  readonly downBelowPercent: number;
}

export const SCALING: ScalingRules = {
  windowMs: 60_000,
  cooldownMs: 120_000,
  upAbovePercent: 70,
  downBelowPercent: 30,
};

export interface ScalingBounds {
  readonly minInstances: number;
  readonly maxInstances: number;
}

interface Sample {
  readonly at: number;
  readonly percent: number;
}

/**
 * Decides how many instances a service should have, from the CPU that they use on average. One step at a time, and none
 * within the cooldown after the last one: a new instance first has to take its part of the work.
 */
export class Scaling {
  #samples: Sample[] = [];
  #since: number | undefined;

  constructor(private readonly rules: ScalingRules) {}

  /** @param percent the average over the instances, of their limit. @param now milliseconds of a steady clock. */
  decide(percent: number, instances: number, bounds: ScalingBounds, now: number): number {
    this.#since ??= now;
    this.#samples = [...this.#samples.filter(({ at }) => now - at < this.rules.windowMs), { at: now, percent }];
    if (now - this.#since < this.rules.windowMs) return instances;
    const wanted = this.#wanted(instances, bounds);
    if (wanted !== instances) this.#since = now + this.rules.cooldownMs - this.rules.windowMs;
    if (wanted !== instances) this.#samples = [];
    return wanted;
  }

  #wanted(instances: number, { minInstances, maxInstances }: ScalingBounds): number {
    const average = this.#samples.reduce((sum, { percent }) => sum + percent, 0) / this.#samples.length;
    if (instances < maxInstances && average > this.rules.upAbovePercent) return instances + 1;
    if (instances > minInstances && average < this.rules.downBelowPercent) return instances - 1;
    return instances;
  }
}
