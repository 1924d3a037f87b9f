import { describe } from '@jest/globals';
import { commandContract, runtimeContract } from '@postern/runtime/testing';
import { RemoteHarness } from './testing/remote-harness.js';

describe('The runtime agent', () => {
  runtimeContract(() => RemoteHarness.start());
  commandContract(() => RemoteHarness.start());
});
