import { createHash } from 'node:crypto';
import type { ServicePlan } from '@postern/runtime';
import { type Kind, MANAGER } from '../cluster.js';
import { imageOf } from './artefact-references.js';
import { type Manifest, RESOURCES } from './kinds.js';
import { ANNOTATION, CONTAINER, hostName, LABEL, releaseName, serviceName } from './names.js';

export interface ServiceObjectSettings {
  /** Below which every web service has a host of its own; without it addresses are those of the cluster. */
  readonly domain: string | undefined;
  readonly scheme: 'http' | 'https';
  readonly ingressClass: string | undefined;
  /** Of the Gateway API, instead of an Ingress. */
  readonly gateway: { readonly namespace: string; readonly name: string } | undefined;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Holds the registry's credentials, for pulling. */
  readonly pullSecret: string | undefined;
  readonly memoryMiB: number;
  readonly cpuMillicores: number;
  /** How long an instance that ends still serves, until everybody knows that it ends. */
  readonly drainSeconds: number;
}

/** Share of the processor limit at which one more instance is wanted. */
const BUSY = 0.7;
const GRACE_SECONDS = 30;
/** Programs that a project has installed for itself are found by name, as npm does it. */
const SHELL = 'PATH="$PWD/node_modules/.bin:$PATH" exec /bin/sh -c "$0"';
/** The image's own user; numbers, so that Kubernetes can see that it is not root. */
const USER = 1000;

export const named = (kind: Kind, name: string, labels: Readonly<Record<string, string>>) => ({
  apiVersion: RESOURCES[kind].apiVersion,
  kind,
  metadata: { name, labels: { [LABEL.managedBy]: MANAGER, ...labels } },
});

/** Says of an object what it was made of, so that what stayed the same need not be sent again. */
export const fingerprinted = <T extends Manifest>(manifest: T): T => {
  const applied = createHash('sha256').update(JSON.stringify(manifest)).digest('hex').slice(0, 32);
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [ANNOTATION.applied]: applied } },
  };
};

/** The configuration of one release; a changed one is another release's. */
export const releaseSecret = ({ webServiceId, rollId, environment }: ServicePlan): Manifest => ({
  ...named('Secret', releaseName(rollId), { [LABEL.webService]: webServiceId, [LABEL.roll]: rollId }),
  type: 'Opaque',
  immutable: true,
  data: Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
});

/**
 * Without `replicas`: the autoscaler owns them where there is one, and `instanceCount` says them where there is none.
 */
export const deployment = (plan: ServicePlan, settings: ServiceObjectSettings): Manifest => {
  const { webServiceId, rollId, name } = plan;
  const template = {
    metadata: {
      labels: { [LABEL.managedBy]: MANAGER, [LABEL.webService]: webServiceId, [LABEL.roll]: rollId },
      annotations: { [ANNOTATION.name]: name },
    },
    spec: podSpec(plan, settings),
  };
  return fingerprinted({ ...deploymentAround(webServiceId, template) });
};

/** What carries a template, whatever release that is of. */
export const deploymentAround = (webServiceId: string, template: unknown): Manifest => ({
  ...named('Deployment', serviceName(webServiceId), { [LABEL.webService]: webServiceId }),
  spec: {
    selector: { matchLabels: { [LABEL.webService]: webServiceId } },
    // All new ones beside all old ones: nothing that serves ends before something else does.
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '100%' } },
    revisionHistoryLimit: 2,
    template,
  },
});

/** Applied by a separate field manager, so that giving up the field does not set it to one. */
export const instanceCount = (webServiceId: string, replicas: number): Manifest => ({
  apiVersion: RESOURCES.Deployment.apiVersion,
  kind: 'Deployment',
  metadata: { name: serviceName(webServiceId) },
  spec: { replicas },
});

/** What each instance may use. */
const sizeOf = ({ instance }: ServicePlan, { memoryMiB, cpuMillicores }: ServiceObjectSettings) =>
  instance ?? { memoryMib: memoryMiB, cpuMillicores };

const podSpec = (plan: ServicePlan, settings: ServiceObjectSettings) => {
  const { drainSeconds, nodeSelector, pullSecret } = settings;
  const { memoryMib: memoryMiB, cpuMillicores } = sizeOf(plan, settings);
  const answers = plan.healthCheckPath
    ? { httpGet: { path: plan.healthCheckPath, port: 'http' } }
    : { tcpSocket: { port: 'http' } };
  const { image, isByDockerfile } = imageOf(plan.artefact.reference);
  const known = { HOME: '/tmp', ...(!isByDockerfile && { LANG: 'C.UTF-8' }) };
  const own = Object.entries(known).filter(([name]) => plan.environment[name] === undefined);
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: (plan.drainSeconds ?? GRACE_SECONDS) + drainSeconds,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(pullSecret && { imagePullSecrets: [{ name: pullSecret }] }),
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { [LABEL.webService]: plan.webServiceId } },
      },
    ],
    containers: [
      {
        name: CONTAINER,
        image,
        ...(!isByDockerfile && { workingDir: '/app' }),
        ...(plan.startCommand !== undefined
          ? { command: ['/bin/sh', '-c', SHELL, literally(plan.startCommand)] }
          : !isByDockerfile && { command: ['/bin/sh', '/postern/start'] }),
        env: [...own, ['PORT', String(plan.port)]].map(([name, value]) => ({ name, value })),
        envFrom: [{ secretRef: { name: releaseName(plan.rollId) } }],
        ports: [{ name: 'http', containerPort: plan.port }],
        readinessProbe: { ...answers, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 3 },
        // Much more patient than the other: it ends only what has not answered for a minute.
        livenessProbe: {
          ...answers,
          initialDelaySeconds: Math.ceil(plan.deadlineMs / 1_000),
          periodSeconds: 10,
          timeoutSeconds: 10,
          failureThreshold: 6,
        },
        ...(drainSeconds > 0 && { lifecycle: { preStop: { sleep: { seconds: drainSeconds } } } }),
        resources: {
          requests: { cpu: `${Math.ceil(cpuMillicores / 4)}m`, memory: `${Math.ceil(memoryMiB / 2)}Mi` },
          limits: { cpu: `${cpuMillicores}m`, memory: `${memoryMiB}Mi` },
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
      },
    ],
    volumes: [{ name: 'tmp', emptyDir: { sizeLimit: `${memoryMiB}Mi` } }],
  };
};

/** Kubernetes would put a variable in the place of `$(NAME)`, which means something else to a shell. */
const literally = (command: string): string => command.replaceAll('$(', '$$$$(');

/** Undefined where the number of instances is fixed. */
export const autoscaler = (plan: ServicePlan, settings: ServiceObjectSettings): Manifest | undefined => {
  const { cpuMillicores } = sizeOf(plan, settings);
  const { webServiceId, minInstances, maxInstances } = plan;
  if (maxInstances <= minInstances) return undefined;
  const name = serviceName(webServiceId);
  return fingerprinted({
    ...named('HorizontalPodAutoscaler', name, { [LABEL.webService]: webServiceId }),
    spec: {
      scaleTargetRef: { apiVersion: RESOURCES.Deployment.apiVersion, kind: 'Deployment', name },
      minReplicas: minInstances,
      maxReplicas: maxInstances,
      metrics: [
        {
          type: 'Resource',
          resource: {
            name: 'cpu',
            target: { type: 'AverageValue', averageValue: `${Math.ceil(cpuMillicores * BUSY)}m` },
          },
        },
      ],
    },
  });
};

/** Nodes are emptied one instance at a time, and never wait for one that does not answer anyway. */
export const disruptionBudget = ({ webServiceId }: ServicePlan): Manifest =>
  fingerprinted({
    ...named('PodDisruptionBudget', serviceName(webServiceId), { [LABEL.webService]: webServiceId }),
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { [LABEL.webService]: webServiceId } },
    },
  });

/** What the address of a service consists of; it stays over all releases, and over a stop. */
export const addressObjects = (webServiceId: string, name: string, settings: ServiceObjectSettings): Manifest[] => {
  const labels = { [LABEL.webService]: webServiceId };
  const own = serviceName(webServiceId);
  const service = {
    ...named('Service', own, labels),
    spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  };
  const { domain, gateway, ingressClass } = settings;
  if (!domain) return [service];
  const host = hostName(webServiceId, name, domain);
  if (gateway)
    return [
      service,
      {
        ...named('HTTPRoute', own, labels),
        spec: {
          parentRefs: [gateway],
          hostnames: [host],
          rules: [{ backendRefs: [{ name: own, port: 80 }] }],
        },
      },
    ];
  const backend = { service: { name: own, port: { name: 'http' } } };
  return [
    service,
    {
      ...named('Ingress', own, labels),
      spec: {
        ...(ingressClass && { ingressClassName: ingressClass }),
        rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      },
    },
  ];
};
