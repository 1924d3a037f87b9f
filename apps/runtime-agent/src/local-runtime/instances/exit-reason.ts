import { constants } from 'node:os';

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** How a process ended, from the status that a shell gives for it: 128 and the signal's number for a signal. */
export const exitReason = (status: number): string => {
  const signal = SIGNALS.get(status - 128);
  return signal ? `was killed by ${signal}` : `exited with code ${status}`;
};
