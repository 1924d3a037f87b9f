export { rangesOf } from './connections/address-ranges.js';
export { clientNetworkOf } from './connections/client-network.js';
export { type BlockedClients, type ConnectionLimitOptions, ConnectionLimits } from './connections/connection-limits.js';
export { intercept } from './connections/intercept.js';
