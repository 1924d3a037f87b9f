import childProcess from 'node:child_process';

const key = Symbol.for('postern.testing.registry');

/**
 * A map that lives as long as the process. Jest gives every test file its own modules and globals; only core modules
 * are shared by the files of a worker.
 */
export function workerRegistry<T>(): Map<string, T> {
  const host: object & { [key]?: Map<string, T> } = childProcess;
  host[key] ??= new Map<string, T>();
  return host[key];
}
