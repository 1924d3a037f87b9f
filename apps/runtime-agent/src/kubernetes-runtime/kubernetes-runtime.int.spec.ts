import { describe } from '@jest/globals';
import { keepsThePromisesAboutCommands, keepsThePromisesOfARuntime } from '@postern/runtime/testing';
import { KubernetesHarness } from './testing/kubernetes-harness.js';

// `keepsNeighboursApart` does not apply: containers isolate neighbours in a cluster, and the stand-in for a node has none.
describe('The Kubernetes runtime', () => {
  keepsThePromisesOfARuntime(() => KubernetesHarness.start());
  keepsThePromisesAboutCommands(() => KubernetesHarness.start());
});
