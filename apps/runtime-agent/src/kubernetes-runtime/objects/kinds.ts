/** Kubernetes requires the right to create an object for applying it. */
const APPLY = ['create', 'patch'] as const;

/** The API path and the verbs of each kind that the platform uses; the Role of the charts allows no more. */
export const RESOURCES = {
  Pod: { apiVersion: 'v1', plural: 'pods', verbs: ['list'] },
  PodLog: { apiVersion: 'v1', plural: 'pods/log', verbs: ['get'] },
  Service: { apiVersion: 'v1', plural: 'services', verbs: ['list', ...APPLY, 'delete'] },
  Secret: { apiVersion: 'v1', plural: 'secrets', verbs: ['get', 'list', ...APPLY, 'delete'] },
  PersistentVolumeClaim: { apiVersion: 'v1', plural: 'persistentvolumeclaims', verbs: [...APPLY, 'delete'] },
  Event: { apiVersion: 'v1', plural: 'events', verbs: ['list'] },
  Deployment: { apiVersion: 'apps/v1', plural: 'deployments', verbs: ['get', 'list', ...APPLY, 'delete'] },
  ReplicaSet: { apiVersion: 'apps/v1', plural: 'replicasets', verbs: ['list'] },
  Job: { apiVersion: 'batch/v1', plural: 'jobs', verbs: ['get', 'list', ...APPLY, 'delete'] },
  HorizontalPodAutoscaler: {
    apiVersion: 'autoscaling/v2',
    plural: 'horizontalpodautoscalers',
    verbs: ['list', ...APPLY, 'delete'],
  },
  PodDisruptionBudget: { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets', verbs: ['list', ...APPLY, 'delete'] },
  Ingress: { apiVersion: 'networking.k8s.io/v1', plural: 'ingresses', verbs: ['list', ...APPLY, 'delete'] },
  HTTPRoute: { apiVersion: 'gateway.networking.k8s.io/v1', plural: 'httproutes', verbs: ['list', ...APPLY, 'delete'] },
  PodMetrics: { apiVersion: 'metrics.k8s.io/v1beta1', plural: 'pods', verbs: ['list'] },
} as const satisfies Readonly<Record<string, Resource>>;

export type Verb = 'get' | 'list' | 'create' | 'patch' | 'delete';

interface Resource {
  readonly apiVersion: string;
  readonly plural: string;
  readonly verbs: readonly Verb[];
}

export interface ObjectMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly uid?: string;
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
}

/** Plain JSON, unlike the classes of a client, whose times are not strings. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadata;
}

/** Objects as they are applied. The tests validate them against the schemas of Kubernetes. */
export interface Manifest extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface PodTemplate {
  readonly metadata: Pick<ObjectMetadata, 'labels' | 'annotations'>;
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface Deployment extends KubernetesObject {
  readonly spec: { readonly replicas?: number; readonly template: PodTemplate; readonly selector: unknown };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface ReplicaSet extends KubernetesObject {
  readonly spec: { readonly template: PodTemplate };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: Terminated;
}

export interface Terminated {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
  readonly finishedAt?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface Pod extends KubernetesObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface Job extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[]; readonly completionTime?: string };
}

export interface ClusterEvent extends KubernetesObject {
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}

export interface PodMetrics extends KubernetesObject {
  readonly containers: readonly { readonly usage: { readonly cpu: string; readonly memory: string } }[];
}
