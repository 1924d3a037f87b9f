import { type AnyObject, type Json, podSpecOf } from './any-object.js';

/** Constant fields in the container status of a kubelet. */
export const STATIC = { image: 'image', imageID: '', ready: false, restartCount: 0 };

export interface ContainerReport {
  readonly phase: string;
  /** The state of the container, such as `{ running: … }`; empty before the container exists. */
  readonly state: Json;
  readonly lastState: Json;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly initStatus: readonly Json[];
}

/** The status of a pod, as its kubelet reports it. */
export const podStatus = (
  pod: AnyObject,
  { phase, state, lastState, isReady, restarts, initStatus }: ContainerReport,
): Json => {
  const [container] = podSpecOf(pod).containers;
  const now = new Date().toISOString();
  const condition = (type: string, isTrue: boolean) => ({
    type,
    status: isTrue ? 'True' : 'False',
    lastTransitionTime: now,
  });
  const running = { name: container?.name, ...STATIC, ready: isReady, restartCount: restarts, state, lastState };
  return {
    phase,
    podIP: '127.0.0.1',
    startTime: now,
    conditions: [condition('PodScheduled', true), condition('Ready', isReady), condition('ContainersReady', isReady)],
    initContainerStatuses: initStatus,
    containerStatuses: Object.keys(state).length === 0 ? [] : [running],
  };
};

/** The event about a failed probe of a pod. */
export const unhealthyEvent = (pod: string, namespace: string, message: string): AnyObject => {
  const now = new Date().toISOString();
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${pod}.unhealthy` },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name: pod, namespace },
    type: 'Warning',
    reason: 'Unhealthy',
    message,
    firstTimestamp: now,
    lastTimestamp: now,
  };
};
