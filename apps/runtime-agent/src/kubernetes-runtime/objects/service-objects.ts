import { createHash } from 'node:crypto';
import type { Artefact, ServicePlan } from '@postern/runtime';
import { SHELL } from '../../infrastructure/builders/start.js';
import { type Kind, MANAGER } from '../cluster.js';
import { imageOf } from './artefact-references.js';
import { type Manifest, type PodTemplate, RESOURCES } from './kinds.js';
import { ANNOTATION, CONTAINER, diskName, hostName, LABEL, releaseName, serviceName } from './names.js';

export interface ServiceObjectSettings {
  /** Below which every web service has a host of its own; without it addresses are those of the cluster. */
  readonly domain: string | undefined;
  readonly scheme: 'http' | 'https';
  readonly ingressClass: string | undefined;
  /** The ClusterIssuer of cert-manager for custom domains behind an Ingress. */
  readonly clusterIssuer?: string | undefined;
  /** Of the Gateway API, instead of an Ingress. */
  readonly gateway: { readonly namespace: string; readonly name: string } | undefined;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Holds the registry's credentials, for pulling. */
  readonly pullSecret: string | undefined;
  /** Of disks; the cluster's default if undefined. */
  readonly storageClass?: string | undefined;
  readonly memoryMiB: number;
  readonly cpuMillicores: number;
  /** How long an instance that ends still serves, until everybody knows that it ends. */
  readonly drainSeconds: number;
}

/** Share of the processor limit at which one more instance is wanted. */
const BUSY = 0.7;
const GRACE_SECONDS = 30;
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
  data: secretData(environment),
});

export const secretData = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]));

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
export const deploymentAround = (webServiceId: string, template: PodTemplate): Manifest => ({
  ...named('Deployment', serviceName(webServiceId), { [LABEL.webService]: webServiceId }),
  spec: {
    selector: { matchLabels: { [LABEL.webService]: webServiceId } },
    // All new ones beside all old ones: nothing that serves ends before something else does. Two never write to a disk.
    strategy: hasDisk(template)
      ? { type: 'Recreate' }
      : { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '100%' } },
    revisionHistoryLimit: 2,
    template,
  },
});

const DISK = 'disk';
const DISK_PATH = '/data';

const hasDisk = (template: PodTemplate): boolean => {
  const { volumes = [] } = template.spec as { readonly volumes?: readonly { readonly name: string }[] };
  return volumes.some(({ name }) => name === DISK);
};

/** Applied by a separate field manager, so that giving up the field does not set it to one. */
export const instanceCount = (webServiceId: string, replicas: number): Manifest => ({
  apiVersion: RESOURCES.Deployment.apiVersion,
  kind: 'Deployment',
  metadata: { name: serviceName(webServiceId) },
  spec: { replicas },
});

/** What a process may use. */
const sizeOf = (size: ServicePlan['instance'], { memoryMiB, cpuMillicores }: ServiceObjectSettings) =>
  size ?? { memoryMib: memoryMiB, cpuMillicores };

const podSpec = (plan: ServicePlan, settings: ServiceObjectSettings) => {
  const { drainSeconds } = settings;
  const answers = plan.healthCheckPath
    ? { httpGet: { path: plan.healthCheckPath, port: 'http' } }
    : { tcpSocket: { port: 'http' } };
  const { isByDockerfile } = imageOf(plan.artefact.reference);
  const ownStart = isByDockerfile ? undefined : ['/bin/sh', '/postern/start'];
  const command = plan.startCommand === undefined ? ownStart : shellCommand(plan.startCommand);
  const variables = { PORT: `${plan.port}`, ...(plan.disk && { DISK_PATH }) };
  const { containers, volumes, securityContext, ...around } = releasePodSpec(
    { ...plan, size: plan.instance, command, secretName: releaseName(plan.rollId), variables },
    settings,
  );
  const claim = { name: DISK, persistentVolumeClaim: { claimName: diskName(plan.webServiceId) } };
  return {
    ...around,
    // The group may write to the disk.
    securityContext: plan.disk
      ? { ...securityContext, fsGroup: USER, fsGroupChangePolicy: 'OnRootMismatch' }
      : securityContext,
    volumes: plan.disk ? [...volumes, claim] : volumes,
    terminationGracePeriodSeconds: (plan.drainSeconds ?? GRACE_SECONDS) + drainSeconds,
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { [LABEL.webService]: plan.webServiceId } },
      },
    ],
    containers: containers.map(({ volumeMounts, ...container }) => ({
      ...container,
      volumeMounts: plan.disk ? [...volumeMounts, { name: DISK, mountPath: DISK_PATH }] : volumeMounts,
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
    })),
  };
};

/** A process in the image of a release. */
export interface ReleaseProcess {
  readonly artefact: Artefact;
  /** Undefined for what the image says itself. */
  readonly command: readonly string[] | undefined;
  /** The Secret with its variables. */
  readonly secretName: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Variables besides those of the Secret, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Its limits; undefined for those of the settings. */
  readonly size: ServicePlan['instance'];
}

/** A command for a shell, which finds the programs that a project has installed for itself, as npm does it. */
export const shellCommand = (command: string): string[] => ['/bin/sh', '-c', SHELL, literally(command)];

/** A pod with one process of a release: unprivileged, with a read-only file system and limits. */
export const releasePodSpec = (process: ReleaseProcess, settings: ServiceObjectSettings) => {
  const { nodeSelector, pullSecret } = settings;
  const { memoryMib, cpuMillicores } = sizeOf(process.size, settings);
  const { image, isByDockerfile } = imageOf(process.artefact.reference);
  const known = { HOME: '/tmp', ...(!isByDockerfile && { LANG: 'C.UTF-8' }) };
  const own = Object.entries(known).filter(([name]) => process.environment[name] === undefined);
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(pullSecret && { imagePullSecrets: [{ name: pullSecret }] }),
    containers: [
      {
        name: CONTAINER,
        image,
        ...(!isByDockerfile && { workingDir: '/app' }),
        ...(process.command && { command: [...process.command] }),
        env: [...own, ...Object.entries(process.variables)].map(([name, value]) => ({ name, value })),
        envFrom: [{ secretRef: { name: process.secretName } }],
        resources: {
          requests: { cpu: `${Math.ceil(cpuMillicores / 4)}m`, memory: `${Math.ceil(memoryMib / 2)}Mi` },
          limits: { cpu: `${cpuMillicores}m`, memory: `${memoryMib}Mi` },
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
      },
    ],
    volumes: [{ name: 'tmp', emptyDir: { sizeLimit: `${memoryMib}Mi` } }],
  };
};

/** Kubernetes would put a variable in the place of `$(NAME)`, which means something else to a shell. */
const literally = (command: string): string => command.replaceAll('$(', '$$$$(');

/** Undefined where the number of instances is fixed. */
export const autoscaler = (plan: ServicePlan, settings: ServiceObjectSettings): Manifest | undefined => {
  const { cpuMillicores } = sizeOf(plan.instance, settings);
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

/** Nodes are emptied one instance at a time, and never wait for one that does not respond anyway. */
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
  const { domain } = settings;
  if (!domain) return [service];
  return [service, routeOf(own, labels, { host: hostName(webServiceId, name, domain), service: own }, settings)];
};

/** What leads a host name to a Service: an HTTPRoute where a Gateway is configured, otherwise an Ingress. */
export const routeOf = (
  name: string,
  labels: Readonly<Record<string, string>>,
  { host, service }: { readonly host: string; readonly service: string },
  { gateway, ingressClass }: ServiceObjectSettings,
): Manifest => {
  if (gateway)
    return {
      ...named('HTTPRoute', name, labels),
      spec: { parentRefs: [gateway], hostnames: [host], rules: [{ backendRefs: [{ name: service, port: 80 }] }] },
    };
  const backend = { service: { name: service, port: { name: 'http' } } };
  return {
    ...named('Ingress', name, labels),
    spec: {
      ...(ingressClass && { ingressClassName: ingressClass }),
      rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
    },
  };
};
