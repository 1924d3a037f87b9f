import { SERVICES_WITH_DATABASE } from '@postern/testing';
import { PROCESSES } from '../system/starter-options.js';
import { brokerDamaged } from './broker-damaged.js';
import { brokerWiped } from './broker-wiped.js';
import { burst } from './burst.js';
import { clockJump } from './clock-jump.js';
import { clockOffset } from './clock-offset.js';
import { consumersAway } from './consumers-away.js';
import { databaseRestored } from './database-restored.js';
import { killDatabaseSession, pauseDatabaseSession } from './database-session.js';
import type { Fault } from './fault.js';
import { flowsForgotten } from './flows-forgotten.js';
import { fullDisk } from './full-disk.js';
import { garbage } from './garbage.js';
import { killProcess } from './kill-process.js';
import { noFileHandles } from './no-file-handles.js';
import { pauseProcess } from './pause-process.js';
import { receiverMisbehaves } from './receiver-misbehaves.js';
import { relayAway } from './relay-away.js';
import { relayCuts, relayRefuses, relaySlow } from './relay-misbehaves.js';
import { silentNameServers } from './silent-name-servers.js';
import { starterKilled } from './starter-killed.js';

/** Every kind of fault; a run repeats them in shuffled order. */
export const ALL_FAULTS: readonly Fault[] = [
  ...PROCESSES.map(killProcess),
  ...PROCESSES.map(pauseProcess),
  killDatabaseSession,
  pauseDatabaseSession,
  brokerWiped,
  ...(['flip', 'truncate'] as const).flatMap(damage => [
    brokerDamaged(damage, 'stopped'),
    brokerDamaged(damage, 'running'),
  ]),
  ...SERVICES_WITH_DATABASE.map(service => databaseRestored(service, [service])),
  databaseRestored('all services', SERVICES_WITH_DATABASE),
  flowsForgotten('PostgreSQL'),
  flowsForgotten('NATS'),
  consumersAway,
  relayAway,
  relaySlow,
  ...(['connect', 'mail', 'rcpt', 'data'] as const).map(relayRefuses),
  ...(['in data', 'after dot, not taken', 'after dot, taken'] as const).map(relayCuts),
  ...(['down', 'hang', 'error', 'reset'] as const).map(receiverMisbehaves),
  ...(['everything', 'NATS', 'PostgreSQL'] as const).map(fullDisk),
  noFileHandles,
  clockJump,
  clockOffset,
  silentNameServers,
  garbage,
  starterKilled,
  burst,
];
