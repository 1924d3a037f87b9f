export * from './git-repository.js';
export * from './runtime-contract.js';
export * from './runtime-programs.js';
