import { describe } from '@jest/globals';
import { keepsThePromisesOfARuntime } from '../../testing/runtime-contract.js';
import { KubernetesHarness } from './testing/kubernetes-harness.js';

describe('The Kubernetes runtime', () => keepsThePromisesOfARuntime(() => KubernetesHarness.start()));
