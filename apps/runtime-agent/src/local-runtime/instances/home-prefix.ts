import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

/** What the ids of everything that runs for a home begin with, so that homes on one machine can be told apart. */
export const homePrefix = (platformHome: string): string =>
  `${createHash('sha256').update(resolve(platformHome)).digest('hex').slice(0, 10)}-`;
