export { type BenchOptions, readOptions } from './options.js';
