export interface ScalingRules {
  /** The length of the averaging window. No decision is made before it has passed. */
  readonly windowMs: number;
  readonly cooldownMs: number;
  /** In percent of an instance's CPU limit. */
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
 * Decides how many instances a service should have, from their average CPU usage. Adds or removes one at a time, and
 * none within the cooldown after the last change, so that a new instance can take its share of the work.
 */
export class Scaling {
  #samples: Sample[] = [];
  #since: number | undefined;

  constructor(private readonly rules: ScalingRules) {}

  /**
   * @param percent the average CPU usage of the instances, in percent of their limit. @param now milliseconds of a
   * monotonic clock.
   */
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
