export { keepsTheEventStoreContract } from './event-store-contract.js';
export { foldsEveryFixture } from './fixtures.js';
export { specificationOf } from './specification.js';
