import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import { keepsThePromisesAboutBuilds } from './build-contract.js';
import { keepsThePromisesAboutObservation } from './observation-contract.js';
import { keepsThePromisesAboutReconciling } from './reconcile-contract.js';
import { keepsThePromisesAboutRolls } from './roll-contract.js';
import { RuntimeDriver } from './runtime-driver.js';
import type { RuntimeHarness } from './runtime-harness.js';

/** The contract of every runtime. */
export const runtimeContract = (start: () => Promise<RuntimeHarness>): void => {
  describe('as a runtime', () => {
    const driver = new RuntimeDriver();
    beforeAll(() => driver.start(start), 120_000);
    afterEach(() => driver.stopServices());
    afterAll(() => driver.stop(), 120_000);

    keepsThePromisesAboutBuilds(driver);
    keepsThePromisesAboutRolls(driver);
    keepsThePromisesAboutReconciling(driver);
    keepsThePromisesAboutObservation(driver);
  });
};
