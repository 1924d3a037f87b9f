import type { InstanceRecord } from './instance-record.js';
import { descendantsOf, environmentOf, type ProcessEntry, processEntry } from './process-table.js';

/** The main process of an instance; undefined when it is gone, even if another process has its number now. */
export const mainProcessOf = async ({ process }: InstanceRecord): Promise<ProcessEntry | undefined> => {
  const entry = process && processEntry(process.pid);
  return entry && entry.startTime === process.startTime ? entry : undefined;
};

/**
 * The values of its secrets, from the environment of the running process: the platform writes none to disk. Undefined
 * where it has not received its environment.
 */
export const secretsOf = async ({ process, secretNames }: InstanceRecord): Promise<readonly string[] | undefined> => {
  if (!process) return undefined;
  // The environment is in the shim, which is that process, or in a sandbox a descendant of it.
  for (const pid of [process.pid, ...(await descendantsOf(process.pid))]) {
    const environment = await environmentOf(pid);
    const secrets = secretNames.flatMap(name => environment?.get(name) ?? []);
    if (secrets.length === secretNames.length) return secrets;
  }
  return undefined;
};

/** Signals a process group; one without processes is no error. */
export const signalGroup = (group: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
