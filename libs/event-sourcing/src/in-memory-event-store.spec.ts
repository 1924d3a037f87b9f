import { InMemoryEventStore } from './in-memory-event-store.js';
import { keepsTheEventStoreContract } from './testing/event-store-contract.js';

keepsTheEventStoreContract(async () => new InMemoryEventStore());
