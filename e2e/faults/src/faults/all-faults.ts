import { PROCESSES } from '../system/starter-options.js';
import { brokerWiped } from './broker-wiped.js';
import { burst } from './burst.js';
import { clockJump } from './clock-jump.js';
import { consumersAway } from './consumers-away.js';
import { killDatabaseSession, pauseDatabaseSession } from './database-session.js';
import type { Fault } from './fault.js';
import { fullDisk } from './full-disk.js';
import { garbage } from './garbage.js';
import { killProcess } from './kill-process.js';
import { noFileHandles } from './no-file-handles.js';
import { pauseProcess } from './pause-process.js';
import { receiverMisbehaves } from './receiver-misbehaves.js';
import { relayAway } from './relay-away.js';
import { relayCuts, relayRefuses, relaySlow } from './relay-misbehaves.js';
import { starterKilled } from './starter-killed.js';

/** Every kind of fault; a run repeats them in shuffled order. */
export const ALL_FAULTS: readonly Fault[] = [
  ...PROCESSES.map(killProcess),
  ...PROCESSES.map(pauseProcess),
  killDatabaseSession,
  pauseDatabaseSession,
  brokerWiped,
  consumersAway,
  relayAway,
  relaySlow,
  ...(['connect', 'mail', 'rcpt', 'data'] as const).map(relayRefuses),
  ...(['in data', 'after dot, not taken', 'after dot, taken'] as const).map(relayCuts),
  ...(['down', 'hang', 'error', 'reset'] as const).map(receiverMisbehaves),
  fullDisk,
  noFileHandles,
  clockJump,
  garbage,
  starterKilled,
  burst,
];
