export { ChangeNotices } from './change-notices.js';
export { certificateFrom } from './connections/certificate.js';
export { clientNetworkOf, wideNetworkOf } from './connections/client-network.js';
export { passedSocket } from './connections/passed-socket.js';
export { SmtpConnections } from './connections/smtp-connections.js';
export { Database, type DatabaseConfig } from './database/database.js';
export { DatabaseClock, type DatabaseClockOptions, type DatabaseTime } from './database/database-clock.js';
export { likeText } from './database/like-text.js';
export {
  cappedTotal,
  type ListCursor,
  listCursor,
  parameterized,
  queryTooBroad,
  unknownCursor,
  withinListTime,
} from './database/long-list.js';
export { applyMigrations, type MigrationOptions } from './database/migrations.js';
export { PrismaModule } from './database/prisma.module.js';
export { type DriftOptions, schemaDrift } from './database/schema-drift.js';
export { asTemporarilyUnavailable, mayHaveCommitted } from './database/temporary-faults.js';
export { firstIdAt } from './database/uuid-time.js';
export { VerifyingClient } from './database/verifying-client.js';
export { EventSourcing, type WriteOptions } from './event-sourcing/event-sourcing.js';
export { EventSourcingModule, type EventSourcingOptions } from './event-sourcing/event-sourcing.module.js';
export { PublishedLog } from './event-sourcing/published-log.js';
export { Every, type EveryOptions, type TaskRun } from './every.js';
export { Liveness } from './health/liveness.js';
export { Readiness, type ReadinessCheck } from './health/readiness.js';
export { CONFIG, HOST, type Host } from './host.js';
export { HostModule } from './host-module.js';
export { withCommandKey } from './idempotent-commands/command-key.js';
export { KeyedSlots } from './keyed-slots.js';
export { type PlainFields, ServiceLog } from './log/service-log.js';
export { Metrics } from './metrics/metrics.js';
export { connectWith, type NatsConnection, type NatsSettings } from './nats.js';
export {
  OperationsModule,
  type OperationsModuleOptions,
  type OperationsParts,
} from './operations/operations.module.js';
export {
  type Finding,
  type KeptRows,
  PersonalData,
  type PersonalErasure,
  type RowsOfEvents,
  type RowsOnTheirOwn,
} from './operations/ports.js';
export { RecipientErasure, type RecipientErasureOptions } from './operations/recipient-erasure.js';
export { SEALED_ANSWERS, type SealedColumn, SealedColumns } from './operations/sealed-columns.js';
export { answerReleaseQueries, type Release } from './release.js';
export { LoggedRequests } from './request-log/logged-requests.js';
export { insertRequests, listRequests } from './request-log/logged-requests.sql.js';
export { runService } from './run-service.js';
export { KeyRing } from './secrets/key-ring.js';
export { type HostedConfig, type RunningService, type ServiceOptions, startService } from './start-service.js';
export { Tasks } from './tasks.js';
export { shortUserAgent, userAgentFamilyOf } from './user-agent.js';
