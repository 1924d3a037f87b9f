export { databasesOf } from './migrated-databases.js';
export { type TestEvent, TestEventSource, type TestEventSourceOptions } from './test-event-source.js';
