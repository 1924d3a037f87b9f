export * from './control-address.js';
export * from './control-protocol.js';
export * from './load-balancer-client.js';
