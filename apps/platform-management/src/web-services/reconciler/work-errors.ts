import type { LogWriter, Runtime } from '@postern/runtime';
import { maskable } from '../environment/maskable-secrets.js';
import type { Configuration } from '../environment/ports.js';
import type { EndReason } from './next-steps.js';

/** The abort reason of a signal that ends work in progress. */
export class WorkEnded extends Error {
  override readonly name = 'WorkEnded';

  constructor(readonly reason: EndReason | 'leadership') {
    super(reason === 'leadership' ? 'another process leads' : `ended: ${reason}`);
  }
}

const MAX_MESSAGE_LENGTH = 2_000;
const MASK = '********';

export const endReasonOf = (signal: AbortSignal): WorkEnded['reason'] | undefined =>
  signal.aborted && signal.reason instanceof WorkEnded ? signal.reason.reason : undefined;

/** Returns an error's message for users: with a limited length and masked secrets. */
export function describeError(error: unknown, { secrets }: Configuration): string {
  const message = error instanceof Error ? error.message : String(error);
  const masked = maskable(secrets)
    .sort((a, b) => b.length - a.length)
    .reduce((text, secret) => text.replaceAll(secret, MASK), message);
  return masked.toWellFormed().replaceAll('\0', '').slice(0, MAX_MESSAGE_LENGTH);
}

/** Outcome of unsuccessful work. */
export type UnsuccessfulEnd = { readonly kind: 'cancelled' } | { readonly kind: 'failed'; readonly reason: string };

export interface Work {
  readonly signal: AbortSignal;
  readonly configuration: Configuration;
  readonly runtime: Pick<Runtime, 'isReachable'>;
  /** Error classes of failures of the work itself. */
  readonly failures: readonly (abstract new (
    ...args: never[]
  ) => Error)[];
  /** The failure reason if the deadline ended the work. */
  readonly lateReason: string;
}

/**
 * Returns undefined if another process leads, which then reports the outcome.
 * @throws the error if it is neither a failure of the work nor an abort.
 */
export async function unsuccessfulEnd(error: unknown, work: Work): Promise<UnsuccessfulEnd | undefined> {
  const endReason = endReasonOf(work.signal);
  if (endReason === 'leadership') return undefined;
  if (endReason === 'cancelled') return { kind: 'cancelled' };
  if (endReason === 'late') {
    const responds = await work.runtime.isReachable();
    return { kind: 'failed', reason: `${work.lateReason}${responds ? '' : '; the runtime does not respond'}` };
  }
  if (!work.failures.some(failure => error instanceof failure)) throw error;
  return { kind: 'failed', reason: describeError(error, work.configuration) };
}

/** Writes a line to the log of a web service. */
export const logLine = (output: LogWriter, message: string): void => output.write('platform', `${message}\n`);
