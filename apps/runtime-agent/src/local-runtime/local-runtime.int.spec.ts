import { describe } from '@jest/globals';
import { commandContract, isolationContract, limitContract, runtimeContract } from '@postern/runtime/testing';
import { LocalHarness } from './testing/local-harness.js';

describe('The local runtime', () => {
  runtimeContract(() => LocalHarness.start());
  commandContract(() => LocalHarness.start());
  isolationContract(() => LocalHarness.start());
  limitContract(() => LocalHarness.start({ tasks: 64, diskBytes: 64 * 2 ** 20 }));
});
