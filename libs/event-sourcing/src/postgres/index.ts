export { type AppendResult, appendAll, appendArguments, lockStreams } from './append-all.js';
export { APPEND } from './append-call.js';
export { claimedPool } from './claimed-pool.js';
export { ClaimLost, currentClaim, hasWrittenUnderClaim, runWithoutClaim } from './claimed-writes.js';
export { ClaimedCommand, type CommandClaim, CommandClaims, type EarlierCommand } from './command-claims.js';
export {
  CommandTransactions,
  type CommandTransactionsOptions,
  type TransactionalCommand,
} from './command-transactions.js';
export { DeletedOwners, type OwnedData } from './deleted-owners.js';
export { type ErasableEvent, type ErasedPage, type Erasure, eraseFromEvents, eraseFromPage } from './erasure.js';
export { type ErasedRows, ErasureNotes } from './erasure-notes.js';
export {
  EventLog,
  type EventLogOptions,
  type LogPage,
  type LogPosition,
  type LogRequest,
  type ReaderStatus,
  type Restore,
} from './event-log.js';
export type { EventTransaction } from './event-transaction.js';
export { deleteExpiredStreams, type ExpiringStreams } from './expired-streams.js';
export { countAfter, type FeedPage, latestPosition, readFeed } from './feed.js';
export { FollowerPositions, type Restart } from './follower-positions.js';
export { heldGenerations } from './generations.js';
export { inSteps } from './in-steps.js';
export { isLed, withLeadership } from './leadership.js';
export { LEASE_LIMITS, Lease, LeaseLost } from './lease.js';
export { LEASE_IS_HELD } from './lease-is-held.js';
export { countFromZero, observeLag } from './observe-lag.js';
export { PostgresEventStore } from './postgres-event-store.js';
export type { Projection, ProjectionTables, ProjectionTransaction } from './projection.js';
export { ProjectionRunner, type ProjectionRunnerOptions, type ProjectionStatus } from './projection-runner.js';
export { migrateEventStore } from './schema.js';
export { PostgresSetAsideEvents, type SetAsideReport } from './set-aside-events.js';
export { inPipelinedTransaction, inTransaction, pipelined } from './transaction.js';
export { queryWithin } from './within.js';
