/** Where each kind that the platform uses lives in the API. */
export const RESOURCES = {
  Pod: { apiVersion: 'v1', plural: 'pods' },
  Service: { apiVersion: 'v1', plural: 'services' },
  Secret: { apiVersion: 'v1', plural: 'secrets' },
  PersistentVolumeClaim: { apiVersion: 'v1', plural: 'persistentvolumeclaims' },
  ConfigMap: { apiVersion: 'v1', plural: 'configmaps' },
  Event: { apiVersion: 'v1', plural: 'events' },
  Deployment: { apiVersion: 'apps/v1', plural: 'deployments' },
  ReplicaSet: { apiVersion: 'apps/v1', plural: 'replicasets' },
  Job: { apiVersion: 'batch/v1', plural: 'jobs' },
  HorizontalPodAutoscaler: { apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers' },
  PodDisruptionBudget: { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' },
  Ingress: { apiVersion: 'networking.k8s.io/v1', plural: 'ingresses' },
  HTTPRoute: { apiVersion: 'gateway.networking.k8s.io/v1', plural: 'httproutes' },
  PodMetrics: { apiVersion: 'metrics.k8s.io/v1beta1', plural: 'pods' },
} as const;

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

/** As JSON, not as a client's classes, whose times are no strings. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadata;
}

/** Objects as they are applied. The schemas of Kubernetes are held against them in the tests. */
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
