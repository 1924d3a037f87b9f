import type { Observation } from '../observed-traffic.js';
import { violationsOf } from '../rules/all-rules.js';
import type { Violation } from '../rules/violation.js';
import type { Stage } from './stage.js';

const CHECK_EVERY_MS = 5_000;
/** Long enough for the first two attempts after a failed webhook call; later ones may stay scheduled. */
const SCHEDULED_WITHIN_MS = 60_000;

/** Differences that persist this long are violations. */
const UNCHANGED_MS = 90_000;

/** What Postern reports after it had time to settle. */
export interface Settled {
  readonly observation: Observation;
  readonly violations: readonly Violation[];
  readonly seconds: number;
}

/** Stops sending and compares until everything agrees or the time is over; remaining differences are violations. */
export const settle = async (stage: Stage, withinMs: number): Promise<Settled> => {
  const { clients, reportSender, reader, observer, traffic } = stage;
  await clients.stop();
  const began = Date.now();
  const seconds = () => (Date.now() - began) / 1_000;
  let last: Settled | undefined;
  let changedAt = began;
  let failure: unknown;
  while (Date.now() - began < withinMs) {
    await new Promise(resolve => setTimeout(resolve, CHECK_EVERY_MS));
    if (reportSender.waiting > 0) continue;
    await reader.stop();
    try {
      const observation = await observer.observe(traffic);
      const violations = violationsOf(traffic, observation);
      if (JSON.stringify(violations) !== JSON.stringify(last?.violations)) changedAt = Date.now();
      last = { observation, violations, seconds: seconds() };
      const complete = observation.scheduled.size === 0 || Date.now() - began > SCHEDULED_WITHIN_MS;
      if (complete && (violations.length === 0 || Date.now() - changedAt > UNCHANGED_MS)) return last;
    } catch (error) {
      failure = error;
    }
  }
  if (last) return last;
  const waiting = `${reportSender.waiting} reports were not taken`;
  throw new Error(`Postern could not be compared within ${withinMs / 1_000} s: ${failure ?? waiting}`, {
    cause: failure,
  });
};
