import { describe, expect, it } from '@jest/globals';
import { databaseUse } from './database-use.js';

const limits = { cpu_millicores: 250, memory_bytes: 268_435_456, storage_bytes: 1_073_741_824, connections: 20 };

describe('the use of a database', () => {
  it('is shown beside its limits', () => {
    const usage = {
      cpu: { millicores: 20.4, percent: 8 },
      memory: { bytes: 67_108_864, percent: 25 },
      storage: { bytes: 987_842_478, percent: 92 },
    };
    expect(databaseUse({ limits, usage })).toEqual([
      ['CPU', '20 mCPU of 250 mCPU (8%)'],
      ['Memory', '64 MiB of 256 MiB (25%)'],
      ['Storage', '942 MiB of 1 GiB (92%)'],
      ['Connections', 'at most 20'],
    ]);
  });

  it('is its limits alone where nothing is measured: a key-value store, and one that does not run', () => {
    const unknown = ['at most 250 mCPU', 'at most 256 MiB', 'at most 1 GiB', 'at most 20'];
    expect(databaseUse({ limits, usage: null }).map(([, use]) => use)).toEqual(unknown);
  });
});
