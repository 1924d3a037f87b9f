import { describe } from '@jest/globals';
import { keepsThePromisesOfARuntime } from '@postern/runtime/testing';
import { LocalHarness } from './testing/local-harness.js';

describe('The local runtime', () => keepsThePromisesOfARuntime(() => LocalHarness.start()));
