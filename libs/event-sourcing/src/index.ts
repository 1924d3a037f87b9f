export { type Decider, fold } from './decider.js';
export {
  BEGINNING,
  comparePositions,
  type DomainEvent,
  type EventMetadata,
  type Position,
  type RecordedEvent,
} from './event.js';
export { type Append, type Appended, ConcurrencyConflict, EventStore, type ExpectedVersion } from './event-store.js';
export { GroupCommit, type GroupCommitOptions } from './group-commit.js';
export { type Handled, handleCommand } from './handle-command.js';
export { InMemoryEventStore } from './in-memory-event-store.js';
export { type CreationLimit, Streams, type StreamsOptions } from './streams.js';
export { storableJson, UnstorableEventError } from './unstorable-text.js';
export type { Upcaster, Upcasters } from './upcasting.js';
