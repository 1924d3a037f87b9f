import { describe } from '@jest/globals';
import { keepsThePromisesOfARuntime } from '@postern/runtime/testing';
import { RemoteHarness } from './testing/remote-harness.js';

describe('The runtime agent', () => keepsThePromisesOfARuntime(() => RemoteHarness.start()));
