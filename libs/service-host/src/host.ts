import type { InjectionToken, Provider } from '@nestjs/common';
import { NatsLink, RequestClient, RequestHandlers } from '@postern/messaging';
import { ChangeNotices } from './change-notices.js';
import { Database } from './database/database.js';
import { DatabaseClock } from './database/database-clock.js';
import { Liveness } from './health/liveness.js';
import { Readiness } from './health/readiness.js';
import { ServiceLog } from './log/service-log.js';
import { Metrics } from './metrics/metrics.js';
import type { NatsConnection } from './nats.js';
import { hasEncryptionKeys } from './secrets/encryption-config.js';
import { KeyRing } from './secrets/key-ring.js';
import { Tasks } from './tasks.js';

/** Injection token of the service's configuration object. */
export const CONFIG = Symbol('postern.config');

/** Injection token of the whole `Host`, for a service that starts another application with the same members. */
export const HOST = Symbol('postern.host');

/**
 * Everything that `startService` sets up for a service. Every member is injectable by its class in all modules of the
 * service.
 */
export interface Host<Config = unknown> {
  readonly config: Config;
  readonly log: ServiceLog;
  /** As the service has made it. */
  readonly connection: NatsConnection;
  readonly link: NatsLink;
  readonly requests: RequestClient;
  /** The request handlers of this process. */
  readonly handlers: RequestHandlers;
  readonly readiness: Readiness;
  readonly liveness: Liveness;
  readonly metrics: Metrics;
  readonly tasks: Tasks;
  readonly changes: ChangeNotices;
  /** Only in services with a database. */
  readonly database: Database | undefined;
  /** Only in services with a database. */
  readonly clock: DatabaseClock | undefined;
}

const provide = (token: InjectionToken, useValue: unknown): Provider => ({ provide: token, useValue });

export const providersOf = (host: Host): Provider[] => [
  provide(HOST, host),
  provide(CONFIG, host.config),
  provide(ServiceLog, host.log),
  provide(NatsLink, host.link),
  provide(RequestClient, host.requests),
  provide(RequestHandlers, host.handlers),
  provide(Readiness, host.readiness),
  provide(Liveness, host.liveness),
  provide(Metrics, host.metrics),
  provide(Tasks, host.tasks),
  provide(ChangeNotices, host.changes),
  ...(host.database ? [provide(Database, host.database)] : []),
  ...(host.clock ? [provide(DatabaseClock, host.clock)] : []),
  ...keyRingOf(host.config),
];

const keyRingOf = (config: unknown): Provider[] =>
  hasEncryptionKeys(config) ? [provide(KeyRing, new KeyRing(config.encryptionKeys))] : [];
