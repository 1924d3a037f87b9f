import { expect, it } from '@jest/globals';
import { planDisk } from './disk.js';

const MIB = 1024 ** 2;
const plan = (freeMib: number, isNewHome = true) => planDisk('/srv/postern', freeMib * MIB, isNewHome);

it('reports a disk that is too small with the free space, the required space and a remedy', () => {
  expect(() => plan(420)).toThrow(
    'The disk of /srv/postern has 420 MiB free, and Postern needs 512 MiB to start.\n' +
      'Free some space, or choose a folder on another disk: POSTERN_HOME=<folder> npm start',
  );
  expect(() => plan(100, false)).toThrow('needs 128 MiB');
});

it('starts a home with data on a disk that is too small for a new one', () => {
  expect(plan(200, false).walBytes).toBe(64 * MIB);
});

it('limits PostgreSQL’s log to a quarter of a small disk, and warns', () => {
  for (const free of [512, 700, 1_000, 2_700, 4_095]) {
    const { walBytes, warning } = plan(free);
    // NATS uses at most three quarters of the free space.
    expect(walBytes).toBeLessThanOrEqual((free / 4) * MIB);
    expect(warning).toContain(`${free} MiB free`);
  }
});

it('uses the default limits without a warning if there is enough space', () => {
  expect(plan(100_000)).toEqual({ walBytes: 2048 * MIB, warning: undefined });
});
