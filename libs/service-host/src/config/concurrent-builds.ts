import { availableParallelism, totalmem } from 'node:os';
import { integer } from './settings.js';

const BYTES_PER_BUILD = 2 * 1024 ** 3;
const MAX_BUILDS = 8;

export interface MachineMeasure {
  readonly cores: number;
  readonly memoryBytes: number;
}

/** One build per core, as far as memory permits. */
export const defaultConcurrentBuilds = ({ cores, memoryBytes }: MachineMeasure): number =>
  Math.max(1, Math.min(cores, Math.floor(memoryBytes / BYTES_PER_BUILD), MAX_BUILDS));

/** A setting on which several services must agree; it has no fixed default, because machines differ. */
export const concurrentBuilds = () =>
  integer()
    .min(1)
    .max(100)
    .optional()
    .describe(
      `Maximum concurrent builds. Default: one for each core and 2 GiB of memory of the machine, at most ${MAX_BUILDS}.`,
    );

/** The number of builds for the value of the setting. */
export const concurrentBuildsOf = (setting: number | undefined): number =>
  setting ?? defaultConcurrentBuilds({ cores: availableParallelism(), memoryBytes: totalmem() });
