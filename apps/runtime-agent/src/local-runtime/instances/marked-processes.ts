import { BUILD_MARKER, INSTANCE_MARKER } from './process-markers.js';
import { allProcesses, environmentOf, type ProcessEntry } from './process-table.js';

/** Values of the markers in the environment of a process, by marker. */
type Marks = ReadonlyMap<string, string>;

const MARKERS = [INSTANCE_MARKER, BUILD_MARKER];
const UNMARKED: Marks = new Map();

/** Marks of the processes of this machine, which every scan of this process shares. */
let known = new Map<string, Marks>();

/** The program that runs in a process: between fork and exec, a process still has the environment of its parent. */
const keyOf = ({ pid, startTime, environmentAddress }: ProcessEntry): string =>
  `${pid} ${startTime} ${environmentAddress}`;

const readMarks = async (entry: ProcessEntry): Promise<Marks> => {
  const environment = await environmentOf(entry.pid);
  const found = MARKERS.flatMap(marker => {
    const value = environment?.get(marker);
    return value === undefined ? [] : [[marker, value] as const];
  });
  const marks = found.length === 0 ? UNMARKED : new Map(found);
  if (entry.environmentAddress !== '0') known.set(keyOf(entry), marks);
  return marks;
};

/**
 * Finds the processes of instances or builds by a variable that every process inherits, independent of its parent, its
 * process group and the instance records. A process that has cleared its environment is found by the leader of its session.
 */
export class MarkedProcesses {
  /** @param marker the variable that contains the id of the instance or build. */
  constructor(private readonly marker: string = INSTANCE_MARKER) {}

  /** Returns the processes of this machine by the value of the marker. Unmarked processes have the key ''. */
  async scan(): Promise<ReadonlyMap<string, readonly ProcessEntry[]>> {
    const entries = await allProcesses();
    const marks = new Map(
      await Promise.all(
        entries.map(async entry => [entry, known.get(keyOf(entry)) ?? (await readMarks(entry))] as const),
      ),
    );
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
