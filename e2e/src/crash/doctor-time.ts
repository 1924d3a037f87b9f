import type { RunningPostern } from '@postern/local-start';
import { postern } from '../operator.js';

/** The limit of `doctor` itself. */
const ANSWERS_WITHIN_S = 5;

const timed = async <Value>(work: () => Promise<Value>): Promise<readonly [Value, number]> => {
  const began = performance.now();
  return [await work(), (performance.now() - began) / 1_000];
};

/** Runs `postern doctor`; the limit includes the time that this machine takes to start and end the command. */
export const doctorSeconds = async (running: Pick<RunningPostern, 'wiring'>) => {
  const [, startS] = await timed(() => postern(running, ['keys', 'generate']));
  const [{ printed }, seconds] = await timed(() => postern(running, ['doctor', '--no-mail']));
  return { printed, seconds, limit: ANSWERS_WITHIN_S + 2 * startS };
};
