import type { Observation, ObservedTraffic } from '../observed-traffic.js';

/** A broken guarantee, and the message that it concerns. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
  readonly emailId?: string | undefined;
  readonly marker?: string | undefined;
}

/** Compares the observed traffic with what Postern reports. Pure. */
export type Rule = (traffic: ObservedTraffic, observation: Observation) => readonly Violation[];
