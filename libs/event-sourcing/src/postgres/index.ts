export { type AppendResult, appendAll } from './append-all.js';
export { countAfter, type FeedPage, latestPosition, readFeed } from './feed.js';
export { Inbox } from './inbox.js';
export { withLeadership } from './leadership.js';
export { OutboxRelay, type OutboxRelayOptions, type OutboxStatus, type Publisher } from './outbox-relay.js';
export { PostgresEventStore } from './postgres-event-store.js';
export type { Projection, ProjectionTransaction } from './projection.js';
export { ProjectionRunner, type ProjectionRunnerOptions } from './projection-runner.js';
export { migrateEventStore } from './schema.js';
