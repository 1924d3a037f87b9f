import type { Observation, ObservedTraffic } from '../observed-traffic.js';

/** A promise that was broken, and for which message. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
  readonly emailId?: string | undefined;
  readonly marker?: string | undefined;
}

/** Compares what the world saw with what Postern says. Pure. */
export type Rule = (traffic: ObservedTraffic, observation: Observation) => readonly Violation[];
