export * from './commands.js';
export * from './database-runtime.js';
export * from './image-addresses.js';
export * from './log-pages.js';
export * from './path-patterns.js';
export * from './runtime.js';
export * from './service-plan.js';
export * from './wire-names.js';
