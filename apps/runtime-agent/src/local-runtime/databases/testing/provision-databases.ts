import { randomBytes } from 'node:crypto';
import type { DatabaseOrder } from '@postern/runtime';
import type { GuardedPort } from '@postern/runtime/testing';
import { v7 as uuidv7 } from 'uuid';
import { KEPT_FRAMES } from '../../testing/kept-frames.js';
import { LocalDatabases } from '../local-databases.js';
import { STARTER } from './starter-limits.js';

const PLACES = {
  postgresBin: process.env['POSTERN_PLATFORM_POSTGRES_BIN'],
  valkeyBin: process.env['POSTERN_PLATFORM_VALKEY_BIN'],
  path: process.env['PATH'],
};

/** Starts one database of each kind that this machine has a server for. */
export const provisionDatabases = async (platformHome: string): Promise<readonly GuardedPort[]> => {
  const databases = new LocalDatabases(platformHome, PLACES, { sandboxFrames: KEPT_FRAMES });
  const made: GuardedPort[] = [];
  for (const [kind, username, protocol] of [
    ['relational', 'app', 'postgresql'],
    ['key_value', 'default', 'valkey'],
  ] as const) {
    if ((await databases.missingFor(kind)) !== undefined) continue;
    const databaseId = uuidv7();
    const reserved = await databases.reserve(databaseId, kind);
    const password = randomBytes(24).toString('base64url');
    const access = { attachedTo: [], attachmentUsers: [], allowedCidrs: [] };
    const order: DatabaseOrder = { databaseId, kind, ...reserved, username, password, limits: STARTER, ...access };
    await databases.ensure(order);
    made.push({ kind: protocol, host: '127.0.0.1', port: order.port, username });
  }
  return made;
};
