import { descendantsOf, environmentOf, type ProcessEntry, processEntry } from '../../infrastructure/process-table.js';
import type { InstanceRecord } from './instance-record.js';

/** The main process of an instance; undefined if it has ended, even if its process id was reused. */
export const mainProcessOf = async ({ process }: InstanceRecord): Promise<ProcessEntry | undefined> => {
  const entry = process && processEntry(process.pid);
  return entry && entry.startTime === process.startTime ? entry : undefined;
};

/**
 * Reads the values of the secrets from the environment of the running process, because Postern does not store them on
 * disk. Undefined if the process has not received its environment.
 */
export const secretsOf = async ({ process, secretNames }: InstanceRecord): Promise<readonly string[] | undefined> => {
  if (!process) return undefined;
  // The shim has the environment. It is this process, or with namespaces a descendant of it.
  for (const pid of [process.pid, ...(await descendantsOf(process.pid))]) {
    const environment = await environmentOf(pid);
    const secrets = secretNames.flatMap(name => environment?.get(name) ?? []);
    if (secrets.length === secretNames.length) return secrets;
  }
  return undefined;
};

/** Signals a process group. A group without processes is not an error. */
export const signalGroup = (group: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
