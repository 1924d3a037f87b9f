import { constants } from 'node:os';

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** Describes how a process ended, from its shell exit status: 128 plus the signal number after a signal. */
export const exitReason = (status: number): string => {
  const signal = SIGNALS.get(status - 128);
  return signal ? `was killed by ${signal}` : `exited with code ${status}`;
};
