import type { Artefact, SecretFiles, ServicePlan } from './service-plan.js';
import type { TerminalOrder } from './terminals.js';

/** One command that runs once, with the artefact and the environment of a release. */
export interface RunOrder {
  /** Identifies a repeated call. */
  readonly runId: string;
  readonly webServiceId: string;
  /** The instance name in its log lines. */
  readonly instance: string;
  readonly artefact: Artefact;
  /** Runs in a shell, in the folder of the artefact. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly files?: SecretFiles | undefined;
  readonly secrets: readonly string[];
  /** The limits of the command; undefined for the defaults of the runtime. */
  readonly size?: ServicePlan['instance'];
  readonly deadlineMs: number;
  /** The command runs in a terminal, without lines in the log; only with the feature `terminals`. */
  readonly terminal?: TerminalOrder | undefined;
}

/** How a command ended. */
export interface RunEnd {
  /** Null if there is none: the command was killed, interrupted or never started. */
  readonly exitCode: number | null;
  /** Why the command failed; null for exit code 0. */
  readonly reason: string | null;
}

/**
 * The abort reason if the process that carries out an order ends or loses its client. The order will be repeated, so
 * commands that were started keep running.
 */
export class OrderInterrupted extends Error {
  override readonly name = 'OrderInterrupted';
}
