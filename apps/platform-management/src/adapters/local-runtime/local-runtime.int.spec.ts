import { describe } from '@jest/globals';
import { keepsThePromisesOfARuntime } from '../../testing/runtime-contract.js';
import { LocalHarness } from './testing/local-harness.js';

describe('The local runtime', () => keepsThePromisesOfARuntime(() => LocalHarness.start()));
