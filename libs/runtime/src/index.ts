export * from './database-runtime.js';
export * from './runtime.js';
