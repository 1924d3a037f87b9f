import { afterAll } from '@jest/globals';
import type { StartOptions } from '@postern/local-start';
import { PlatformWorld } from './platform/platform-world.js';
import { World } from './world.js';

const stoppedAfterwards = <W extends { stop(): Promise<void> }>(world: W): W => {
  afterAll(() => world.stop());
  return world;
};

/** For test files that only use the public API: a Postern shared by these files. */
export const sharedWorld = async () => stoppedAfterwards(await World.shared());

/** For test files with options or tests that break parts of Postern: a separate instance. */
export const ownWorld = async (options: Partial<StartOptions> = {}) => stoppedAfterwards(await World.start(options));

/** `sharedWorld` with keys of the platform API. */
export const sharedPlatform = async () => stoppedAfterwards(await PlatformWorld.shared());

/** `ownWorld` with keys of the platform API, whose calls are not limited unless the options set a limit. */
export const ownPlatform = async (options: Parameters<typeof PlatformWorld.start>[0] = {}) =>
  stoppedAfterwards(await PlatformWorld.start(options));
