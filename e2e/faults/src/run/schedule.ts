import type { Fault, PlannedFault } from '../faults/fault.js';
import { SeededRandom } from './random.js';

/** One fault, optionally with another one during the recovery from it. */
export interface Step {
  readonly pauseMs: number;
  readonly first: PlannedFault;
  readonly second: { readonly afterMs: number; readonly fault: PlannedFault } | undefined;
}

const SECOND_FAULT = 0.2;

/** Endless steps of a run: all faults in shuffled order, then again; deterministic for the seed. */
export function* schedule(faults: readonly Fault[], seed: number): Generator<Step, never> {
  const random = new SeededRandom(seed);
  const seconds = faults.filter(({ canBeSecond }) => canBeSecond);
  for (;;)
    for (const fault of random.shuffle(faults)) {
      const pauseMs = random.integer(500, 3_000);
      const first = fault.plan(random);
      const second =
        seconds.length > 0 && random.chance(SECOND_FAULT)
          ? { afterMs: random.integer(200, 4_000), fault: random.pick(seconds).plan(random) }
          : undefined;
      yield { pauseMs, first, second };
    }
}
