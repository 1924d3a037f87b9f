import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ageMsOf, cpuOf, peakMemoryOf, residentMemoryOf } from './process-usage.js';

const BURN =
  'const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end); console.log("done")';

describe('the usage of a process', () => {
  it('includes ended children', async () => {
    const script = `const { execFileSync } = require('node:child_process');
      execFileSync(process.execPath, ['-e', ${JSON.stringify(BURN)}]); console.log('ready'); setInterval(() => {}, 1000)`;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(parent.stdout, 'data');
      expect(cpuOf({ parent: parent.pid as number })['parent']).toBeGreaterThanOrEqual(300);
    } finally {
      parent.kill();
    }
  });

  it('is empty for an ended process', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    const pid = child.pid as number;
    expect([cpuOf({ exited: pid })['exited'], peakMemoryOf(pid), residentMemoryOf(pid)]).toEqual([0, 0, 0]);
  });

  it('has a peak of at least the current memory, and an age', () => {
    // In this order, because memory may grow between the two readings.
    const resident = residentMemoryOf(process.pid);
    expect(peakMemoryOf(process.pid)).toBeGreaterThanOrEqual(Math.floor(resident));
    expect(ageMsOf(process.pid)).toBeGreaterThan(0);
  });
});
