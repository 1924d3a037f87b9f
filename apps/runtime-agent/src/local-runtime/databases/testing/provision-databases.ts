import type { GuardedPort } from '@postern/runtime/testing';
import { KEPT_FRAMES } from '../../testing/kept-frames.js';
import { LocalDatabases } from '../local-databases.js';
import { PLACES, provided } from './provided-database.js';

/** Starts one database of each kind that this machine has a server for. */
export const provisionDatabases = async (platformHome: string): Promise<readonly GuardedPort[]> => {
  const databases = new LocalDatabases(platformHome, PLACES, { sandboxFrames: KEPT_FRAMES });
  const made: GuardedPort[] = [];
  for (const [kind, protocol] of [
    ['relational', 'postgresql'],
    ['key_value', 'valkey'],
  ] as const) {
    if ((await databases.missingFor(kind)) !== undefined) continue;
    const { port, username } = await provided(databases, kind);
    made.push({ kind: protocol, host: '127.0.0.1', port, username });
  }
  return made;
};
