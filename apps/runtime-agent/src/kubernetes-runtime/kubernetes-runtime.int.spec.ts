import { describe } from '@jest/globals';
import { keepsThePromisesOfARuntime } from '@postern/runtime/testing';
import { KubernetesHarness } from './testing/kubernetes-harness.js';

describe('The Kubernetes runtime', () => keepsThePromisesOfARuntime(() => KubernetesHarness.start()));
