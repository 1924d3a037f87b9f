import { INSTANCE_MARKER } from './instance-environment.js';
import { allProcesses, environmentOf, type ProcessEntry } from './process-table.js';

/** A newer process may still be between fork and exec, where it has its parent's environment. */
interface Seen {
  readonly instance: string | undefined;
  readonly twice: boolean;
}

/**
 * Finds what belongs to instances by the mark that every process inherits: whatever became of its parent, its group or
 * our own records. One that threw its environment away is known by the session that it lives in.
 */
export class MarkedProcesses {
  #seen = new Map<string, Seen>();

  /** @param marker the variable whose value names what a process belongs to. */
  constructor(private readonly marker: string = INSTANCE_MARKER) {}

  /** All marked processes of this machine by instance, as they are now. */
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
