import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

/** The prefix of the instance ids of a home. It distinguishes the homes on one machine. */
export const homePrefix = (platformHome: string): string =>
  `${createHash('sha256').update(resolve(platformHome)).digest('hex').slice(0, 10)}-`;
