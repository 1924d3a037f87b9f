import { describe } from '@jest/globals';
import { commandContract, isolationContract, limitContract, runtimeContract } from '@postern/runtime/testing';
import { LIMITS } from './assemble-local-runtime.js';
import { BUILD_LIMITS } from './build/build-limits.js';
import { LocalHarness } from './testing/local-harness.js';

const MIB = 2 ** 20;

describe('The local runtime', () => {
  runtimeContract(() => LocalHarness.start());
  commandContract(() => LocalHarness.start());
  isolationContract(() => LocalHarness.start());
  limitContract(() =>
    LocalHarness.start({
      instances: { ...LIMITS, tasks: 64, diskBytes: 64 * MIB },
      builds: { ...BUILD_LIMITS, diskBytes: 64 * MIB },
    }),
  );
});
