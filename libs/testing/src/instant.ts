import { setTimeout as pause } from 'node:timers/promises';

/** A time that lies certainly after what was done before, and before what is done afterwards. @returns an ISO 8601 time in UTC */
export const instant = async (): Promise<string> => {
  await pause(20);
  const now = new Date().toISOString();
  await pause(20);
  return now;
};
