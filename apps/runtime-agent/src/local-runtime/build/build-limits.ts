/** What one build may use of the machine, and how long its stages may take. */
export interface BuildLimits {
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly tasks: number;
  /** Of the workspace as a whole, source included. */
  readonly diskBytes: number;
  /** What stays free for everybody else. */
  readonly freeBytes: number;
  /** Of output that is passed on; the rest is dropped. */
  readonly outputBytes: number;
  /** Of the packages that a web service's builds keep for the next one. */
  readonly cacheBytes: number;
  /** How often use is looked at. */
  readonly watchMs: number;
}

export const BUILD_LIMITS: BuildLimits = {
  memoryBytes: 2 * 2 ** 30,
  tasks: 512,
  diskBytes: 4 * 2 ** 30,
  freeBytes: 2 ** 30,
  outputBytes: 16 * 2 ** 20,
  cacheBytes: 2 ** 30,
  watchMs: 250,
};
