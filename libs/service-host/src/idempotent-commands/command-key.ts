import { hash } from 'node:crypto';
import { currentClaim, runWithoutClaim } from '@postern/event-sourcing/postgres';

/**
 * Runs work that recognises repetitions by a key of its own instead of the claim of the current command, because its transactions
 * serve several commands. The key is undefined if the client sent none.
 */
export const withCommandKey = <Result>(work: (key: string | undefined) => Result): Result => {
  const claim = currentClaim();
  if (!claim) return work(undefined);
  const key = `command ${hash('sha256', `${claim.caller}\n${claim.key}`, 'hex')}`;
  return runWithoutClaim(() => work(key));
};
