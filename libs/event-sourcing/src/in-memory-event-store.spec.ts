import { InMemoryEventStore } from './in-memory-event-store.js';
import { keepsTheEventStoreContract } from './testing/index.js';

keepsTheEventStoreContract(async () => new InMemoryEventStore());
