import type { Artefact, ServicePlan } from './runtime.js';

/** One command to run once with the artefact and the environment of a release. */
export interface RunOrder {
  /** Identifies a repeated call. */
  readonly runId: string;
  readonly webServiceId: string;
  /** The instance that its log lines name. */
  readonly instance: string;
  readonly artefact: Artefact;
  /** For a shell, in the folder of the artefact. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** The limits of the command; undefined for those of the runtime. */
  readonly size: ServicePlan['instance'];
  readonly deadlineMs: number;
}

/** How a command ended. */
export interface RunEnd {
  /** Null if it ended without one: it was killed, interrupted or never started. */
  readonly exitCode: number | null;
  /** Why it did not succeed; null for exit code 0. */
  readonly reason: string | null;
}

/**
 * The reason of a signal that aborts because the process that carries out an order ends or lost its client. The order
 * will be repeated, so commands that were started continue.
 */
export class OrderInterrupted extends Error {
  override readonly name = 'OrderInterrupted';
}
