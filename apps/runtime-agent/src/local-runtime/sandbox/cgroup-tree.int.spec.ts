import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { CgroupTree } from './cgroup-tree.js';

it('runtimes that start at nearly the same time all find the same control groups', async () => {
  const found = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      await pause(n);
      return CgroupTree.find('postern');
    }),
  );
  const entrances = found.map(tree => tree?.existing('some').entrances.join(' ') ?? 'none');
  expect(new Set(entrances).size).toBe(1);
});
