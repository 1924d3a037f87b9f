import { allProcesses, environmentOf, type ProcessEntry } from '../../infrastructure/process-table.js';
import { BUILD_MARKER, INSTANCE_MARKER } from './process-markers.js';

/** Values of the markers that a process has or had in its environment, by marker. */
type Marks = ReadonlyMap<string, string>;

const MARKERS = [INSTANCE_MARKER, BUILD_MARKER];

/** What the processes of this machine had in their environment when it was read; all scans of this process share it. */
let known = new Map<string, { readonly environmentAddress: string; readonly marks: Marks }>();

const keyOf = ({ pid, startTime }: ProcessEntry): string => `${pid} ${startTime}`;

/**
 * Reads the environment once for each program that the process runs: between fork and exec, it still has the environment of
 * its parent. A process keeps the marks that its next program does not set.
 */
const marksOf = async (entry: ProcessEntry): Promise<Marks> => {
  const { pid, environmentAddress } = entry;
  const before = known.get(keyOf(entry));
  if (before?.environmentAddress === environmentAddress && environmentAddress !== '0') return before.marks;
  const environment = await environmentOf(pid);
  const marks = new Map(before?.marks);
  for (const marker of MARKERS) {
    const value = environment?.get(marker);
    if (value !== undefined) marks.set(marker, value);
  }
  known.set(keyOf(entry), { environmentAddress, marks });
  return marks;
};

/**
 * Finds the processes of instances or builds by a variable that every process inherits, independent of its parent, its
 * process group and the instance records. A process that was started without it is found by the leader of its session.
 */
export class MarkedProcesses {
  /** @param marker the variable that contains the id of the instance or build. */
  constructor(private readonly marker: string = INSTANCE_MARKER) {}

  /** Returns the processes of this machine by the value of the marker. Unmarked processes have the key ''. */
  async scan(): Promise<ReadonlyMap<string, readonly ProcessEntry[]>> {
    const entries = await allProcesses();
    const marks = new Map(await Promise.all(entries.map(async entry => [entry, await marksOf(entry)] as const)));
    forgetEnded(entries);
    const markOf = (entry: ProcessEntry) => marks.get(entry)?.get(this.marker);
    const sessions = new Map(entries.map(entry => [entry.pid, markOf(entry)]));
    return Map.groupBy(entries, entry => markOf(entry) ?? sessions.get(entry.session) ?? '');
  }
}

/** Drops the marks of ended processes when they are the larger part. */
const forgetEnded = (entries: readonly ProcessEntry[]): void => {
  if (known.size <= 2 * entries.length) return;
  const running = new Set(entries.map(keyOf));
  known = new Map([...known].filter(([key]) => running.has(key)));
};
