import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { readKernelFile } from './kernel-file.js';

it('a file is read whole, however long it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-kernel-file-'));
  try {
    for (const length of [0, 1, 16_384, 100_000]) {
      writeFileSync(join(folder, 'pids'), 'x'.repeat(length));
      expect(readKernelFile(join(folder, 'pids'))).toBe('x'.repeat(length));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a file that does not exist is an error', () => {
  expect(() => readKernelFile('/proc/self/none')).toThrow('ENOENT');
});
