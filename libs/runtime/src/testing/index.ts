export * from './agent-process.js';
export * from './git-repository.js';
export * from './processes-with.js';
export * from './runtime-contract.js';
export * from './runtime-programs.js';
