export * from './balancer-process.js';
export * from './visit.js';
