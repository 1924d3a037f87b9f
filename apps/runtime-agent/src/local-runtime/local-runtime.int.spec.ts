import { describe } from '@jest/globals';
import {
  keepsNeighboursApart,
  keepsThePromisesAboutCommands,
  keepsThePromisesOfARuntime,
} from '@postern/runtime/testing';
import { LocalHarness } from './testing/local-harness.js';

describe('The local runtime', () => {
  keepsThePromisesOfARuntime(() => LocalHarness.start());
  keepsThePromisesAboutCommands(() => LocalHarness.start());
  keepsNeighboursApart(() => LocalHarness.start());
});
