import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

/** The prefix of the instance ids of a home. It distinguishes the homes on one machine. */
export const homePrefix = (platformHome: string): string =>
  `${createHash('sha256').update(resolve(platformHome)).digest('hex').slice(0, 10)}-`;

/** Whether the id names an instance of the home, and not another place such as that of a build. */
export const isInstanceId = (id: string, prefix: string): boolean =>
  id.startsWith(prefix) && /^[0-9a-f]{12}$/.test(id.slice(prefix.length));
