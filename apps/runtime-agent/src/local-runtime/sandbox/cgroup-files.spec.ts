import { describe, expect, it } from '@jest/globals';
import { limitFilesV1, limitFilesV2 } from './cgroup-files.js';

const limits = { memoryBytes: 2 ** 29, tasks: 256, cpuMillicores: 1_500, weight: 20 };

describe('The limits of a control group', () => {
  it('bound memory with swap, tasks and processors, and weigh the disk, in cgroup v1', () => {
    expect(limitFilesV1(limits).map(line => line.join(' '))).toEqual([
      'memory memory.limit_in_bytes 536870912',
      'memory memory.memsw.limit_in_bytes 536870912',
      'pids pids.max 256',
      'cpu cpu.shares 205',
      'blkio blkio.weight 20',
      'blkio blkio.bfq.weight 20',
      'cpu cpu.cfs_period_us 100000',
      'cpu cpu.cfs_quota_us 150000',
    ]);
  });

  it('are the same in cgroup v2', () => {
    expect(limitFilesV2(limits).map(line => line.join(' '))).toEqual([
      'memory memory.max 536870912',
      'memory memory.swap.max 0',
      'pids pids.max 256',
      'cpu cpu.weight 20',
      'io io.weight default 20',
      'io io.bfq.weight 20',
      'cpu cpu.max 150000 100000',
    ]);
  });
});
