import { describe, expect, it } from '@jest/globals';
import { RestartWindow } from './crash-loop.js';

const windowOf = (...readings: readonly (readonly [seconds: number, restarts: number])[]): RestartWindow => {
  const window = new RestartWindow();
  for (const [seconds, restarts] of readings) window.read(restarts, seconds * 1_000);
  return window;
};

describe('a crash loop', () => {
  it('is at least three restarts within 90 seconds', () => {
    expect(windowOf([0, 0], [15, 1], [30, 2]).crashLoop).toBeUndefined();
    expect(windowOf([0, 0], [15, 2], [30, 3]).crashLoop).toEqual({ restarts: 3, overMs: 30_000 });
  });

  it('ends when the restarts are older than the window', () => {
    expect(windowOf([0, 0], [30, 3], [120, 3], [121, 3]).crashLoop).toBeUndefined();
    expect(windowOf([0, 0], [60, 1], [120, 2], [180, 3]).crashLoop).toBeUndefined();
  });

  it('continues while the pauses between restarts grow, until a window without restarts', () => {
    const window = windowOf([0, 0], [15, 3]);
    expect(window.crashLoop).toBeDefined();
    window.read(4, 80_000);
    window.read(4, 150_000);
    expect(window.crashLoop).toBeUndefined();
    window.read(5, 160_000);
    expect(window.crashLoop).toBeUndefined();
    const growing = windowOf([0, 0], [15, 3]);
    expect(growing.crashLoop).toBeDefined();
    for (const [atMs, restarts] of [
      [80_000, 4],
      [120_000, 5],
    ] as const)
      growing.read(restarts, atMs);
    expect(growing.crashLoop).toEqual({ restarts: 1, overMs: 40_000 });
  });

  it('ignores the counter of an earlier runtime process', () =>
    expect(windowOf([0, 7], [15, 0], [30, 2]).crashLoop).toBeUndefined());
});
