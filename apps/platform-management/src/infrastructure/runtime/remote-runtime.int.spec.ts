import { describe } from '@jest/globals';
import { keepsThePromisesAboutCommands, keepsThePromisesOfARuntime } from '@postern/runtime/testing';
import { RemoteHarness } from './testing/remote-harness.js';

describe('The runtime agent', () => {
  keepsThePromisesOfARuntime(() => RemoteHarness.start());
  keepsThePromisesAboutCommands(() => RemoteHarness.start());
});
