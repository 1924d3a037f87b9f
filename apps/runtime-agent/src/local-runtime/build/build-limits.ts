/** Resource limits of one build. */
export interface BuildLimits {
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly tasks: number;
  /** Size of the workspace, including the source, and of the package cache. */
  readonly diskBytes: number;
  /** Size of the compressed layers of an image of a registry. */
  readonly imageBytes: number;
  /** Free disk space that builds must leave. */
  readonly freeBytes: number;
  /** Output that is forwarded; the rest is dropped. */
  readonly outputBytes: number;
  /** Size of a web service's package cache that is kept for its next build. */
  readonly cacheBytes: number;
  /** Interval of the usage checks. */
  readonly watchMs: number;
}

const GIB = 2 ** 30;

export const BUILD_LIMITS: BuildLimits = {
  memoryBytes: 2 * GIB,
  tasks: 512,
  diskBytes: 4 * GIB,
  imageBytes: GIB,
  freeBytes: GIB,
  outputBytes: 16 * 2 ** 20,
  cacheBytes: GIB,
  watchMs: 250,
};

const MOST_MEMORY = 8 * GIB;

/** The memory of a build: an equal share for each concurrent build and for the web services of the machine, within bounds. */
export const buildMemoryBytes = (machineBytes: number, concurrentBuilds: number): number =>
  Math.min(MOST_MEMORY, Math.max(BUILD_LIMITS.memoryBytes, Math.floor(machineBytes / (concurrentBuilds + 1))));

/** The heap of Node.js in a build; the rest is for its other memory and for other processes. */
export const heapMib = ({ memoryBytes }: Pick<BuildLimits, 'memoryBytes'>): number =>
  Math.floor((memoryBytes * 3) / 4 / 2 ** 20);
