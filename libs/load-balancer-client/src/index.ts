export * from './control-address.js';
export * from './control-protocol.js';
export * from './instance-connections.js';
export * from './load-balancer-client.js';
export * from './user-network.js';
