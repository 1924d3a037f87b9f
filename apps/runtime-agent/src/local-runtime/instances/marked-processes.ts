import { INSTANCE_MARKER } from './instance-environment.js';
import { allProcesses, environmentOf, type ProcessEntry } from './process-table.js';

/** The marker is final once seen twice: between fork and exec, a new process still has its parent's environment. */
interface Seen {
  readonly instance: string | undefined;
  readonly twice: boolean;
}

/**
 * Finds the processes of instances by a variable that every process inherits, independent of its parent, its process
 * group and the instance records. A process that has cleared its environment is found by the leader of its session.
 */
export class MarkedProcesses {
  #seen = new Map<string, Seen>();

  /** @param marker the variable that contains the id of the instance or build. */
  constructor(private readonly marker: string = INSTANCE_MARKER) {}

  /** Returns the processes of this machine by instance id. Unmarked processes have the key ''. */
  async scan(): Promise<ReadonlyMap<string, readonly ProcessEntry[]>> {
    const entries = await allProcesses();
    const seen = new Map<string, Seen>();
    await Promise.all(
      entries.map(async ({ pid, startTime }) => {
        const key = `${pid} ${startTime}`;
        const before = this.#seen.get(key);
        const instance = before?.twice ? before.instance : (await environmentOf(pid))?.get(this.marker);
        seen.set(key, { instance, twice: before !== undefined });
      }),
    );
    this.#seen = seen;
    const markOf = ({ pid, startTime }: ProcessEntry) => seen.get(`${pid} ${startTime}`)?.instance;
    const sessions = new Map(entries.map(entry => [entry.pid, markOf(entry)]));
    return Map.groupBy(entries, entry => markOf(entry) ?? sessions.get(entry.session) ?? '');
  }
}
