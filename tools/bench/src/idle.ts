import type { BenchOptions } from './options.js';
import type { PartReport } from './report.js';
import type { Undo } from './undo.js';

export const measureIdle = async (_options: BenchOptions, _undo: Undo): Promise<PartReport> => {
  throw new Error('not measured yet');
};
