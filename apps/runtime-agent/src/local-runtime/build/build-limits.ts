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

export const BUILD_LIMITS: BuildLimits = {
  memoryBytes: 2 * 2 ** 30,
  tasks: 512,
  diskBytes: 4 * 2 ** 30,
  imageBytes: 2 ** 30,
  freeBytes: 2 ** 30,
  outputBytes: 16 * 2 ** 20,
  cacheBytes: 2 ** 30,
  watchMs: 250,
};
