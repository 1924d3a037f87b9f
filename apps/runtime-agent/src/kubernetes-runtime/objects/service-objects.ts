import { createHash } from 'node:crypto';
import { type Artefact, type SecretFiles, type ServicePlan, scalingTargets } from '@postern/runtime';
import { PRODUCTION } from '../../infrastructure/builders/production.js';
import { type Kind, MANAGER } from '../cluster.js';
import { imageOf } from './artefact-references.js';
import { type Manifest, type PodTemplate, RESOURCES } from './kinds.js';
import { ANNOTATION, CONTAINER, diskName, hostName, LABEL, releaseName, serviceName } from './names.js';
import { secretData, withFiles } from './secret-data.js';
import { shellCommand } from './shell-command.js';

export interface ServiceObjectSettings {
  /** The parent domain of the hosts of web services; without it, addresses are those of Services in the cluster. */
  readonly domain: string | undefined;
  readonly scheme: 'http' | 'https';
  readonly ingressClass: string | undefined;
  /** The ClusterIssuer of cert-manager for custom domains behind an Ingress. */
  readonly clusterIssuer?: string | undefined;
  /** The Gateway of the Gateway API, instead of an Ingress. */
  readonly gateway: { readonly namespace: string; readonly name: string } | undefined;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** The Secret with the registry credentials for pulling. */
  readonly pullSecret: string | undefined;
  /** The StorageClass of disks; the cluster's default if undefined. */
  readonly storageClass?: string | undefined;
  readonly memoryMiB: number;
  readonly cpuMillicores: number;
  /** How long a terminating instance still serves, until all proxies have removed it. */
  readonly drainSeconds: number;
}

const GRACE_SECONDS = 30;
/** The image's own user; numeric, so that Kubernetes can verify that it is not root. */
const USER = 1000;

export const named = (kind: Kind, name: string, labels: Readonly<Record<string, string>>) => ({
  apiVersion: RESOURCES[kind].apiVersion,
  kind,
  metadata: { name, labels: { [LABEL.managedBy]: MANAGER, ...labels } },
});

/** Annotates an object with the hash of its content, so that an unchanged object need not be applied again. */
export const fingerprinted = <T extends Manifest>(manifest: T): T => {
  const applied = createHash('sha256').update(JSON.stringify(manifest)).digest('hex').slice(0, 32);
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [ANNOTATION.applied]: applied } },
  };
};

/** The configuration of one release; a changed configuration belongs to a new release. */
export const releaseSecret = ({ webServiceId, rollId, environment, files }: ServicePlan): Manifest => ({
  ...named('Secret', releaseName(rollId), { [LABEL.webService]: webServiceId, [LABEL.roll]: rollId }),
  type: 'Opaque',
  immutable: true,
  data: secretData(environment, files),
});

/** Without `replicas`: the autoscaler owns the field if there is one; otherwise `instanceCount` sets it. */
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

/** A Deployment with this template, of any release. */
export const deploymentAround = (webServiceId: string, template: PodTemplate): Manifest => ({
  ...named('Deployment', serviceName(webServiceId), { [LABEL.webService]: webServiceId }),
  spec: {
    selector: { matchLabels: { [LABEL.webService]: webServiceId } },
    // Starts all new instances beside the old ones, so that no instance ends before its replacement serves. With a
    // disk, the old instance ends first, because two must never write to it.
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

/** Applied by a separate field manager, so that releasing the field does not reset it to 1. */
export const instanceCount = (webServiceId: string, replicas: number): Manifest => ({
  apiVersion: RESOURCES.Deployment.apiVersion,
  kind: 'Deployment',
  metadata: { name: serviceName(webServiceId) },
  spec: { replicas },
});

/** The resource limits of a process. */
const sizeOf = (size: ServicePlan['instance'], { memoryMiB, cpuMillicores }: ServiceObjectSettings) =>
  size ?? { memoryMib: memoryMiB, cpuMillicores };

const podSpec = (plan: ServicePlan, settings: ServiceObjectSettings) => {
  const { drainSeconds } = settings;
  const { host, graceSeconds, intervalSeconds = 1, timeoutSeconds, threshold = 3 } = plan.healthCheck ?? {};
  const httpHeaders = host ? { httpHeaders: [{ name: 'Host', value: host }] } : {};
  const answers = plan.healthCheckPath
    ? { httpGet: { path: plan.healthCheckPath, port: 'http', ...httpHeaders } }
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
    // Gives the group write access to the disk.
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
      readinessProbe: {
        ...answers,
        periodSeconds: intervalSeconds,
        timeoutSeconds: timeoutSeconds ?? 5,
        failureThreshold: threshold,
      },
      // Much slower than the readiness probe: it restarts only an instance that has not responded for a minute.
      livenessProbe: {
        ...answers,
        initialDelaySeconds: graceSeconds ?? Math.ceil(plan.deadlineMs / 1_000),
        periodSeconds: 10,
        timeoutSeconds: Math.max(10, timeoutSeconds ?? 0),
        failureThreshold: 6,
      },
      ...(drainSeconds > 0 && { lifecycle: { preStop: { sleep: { seconds: drainSeconds } } } }),
    })),
  };
};

/** A process in the image of a release. */
export interface ReleaseProcess {
  readonly artefact: Artefact;
  /** Undefined for the command of the image. */
  readonly command: readonly string[] | undefined;
  /** The Secret with its variables. */
  readonly secretName: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Also in the Secret. */
  readonly files?: SecretFiles | undefined;
  /** Variables besides those of the Secret, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Its limits; undefined for those of the settings. */
  readonly size?: ServicePlan['instance'];
}

/** A pod with one process of a release: unprivileged, with a read-only file system and limits. */
export const releasePodSpec = (process: ReleaseProcess, settings: ServiceObjectSettings) => {
  const { nodeSelector, pullSecret } = settings;
  const { memoryMib, cpuMillicores } = sizeOf(process.size, settings);
  const { image, isByDockerfile } = imageOf(process.artefact.reference);
  const known = { HOME: '/tmp', ...(!isByDockerfile && { LANG: 'C.UTF-8', ...PRODUCTION }) };
  const own = Object.entries(known).filter(([name]) => process.environment[name] === undefined);
  const files = process.files && withFiles(process.files, process.secretName, process.environment);
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
        env: [
          ...(files?.env ?? []),
          ...[...own, ...Object.entries(process.variables)].map(([name, value]) => ({ name, value })),
        ],
        ...(!files && { envFrom: [{ secretRef: { name: process.secretName } }] }),
        resources: {
          requests: { cpu: `${Math.ceil(cpuMillicores / 4)}m`, memory: `${Math.ceil(memoryMib / 2)}Mi` },
          limits: { cpu: `${cpuMillicores}m`, memory: `${memoryMib}Mi` },
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }, ...(files ? [files.mount] : [])],
      },
    ],
    volumes: [{ name: 'tmp', emptyDir: { sizeLimit: `${memoryMib}Mi` } }, ...(files ? [files.volume] : [])],
  };
};

/** Undefined if the number of instances is fixed. */
export const autoscaler = (plan: ServicePlan, settings: ServiceObjectSettings): Manifest | undefined => {
  const { webServiceId, minInstances, maxInstances } = plan;
  if (maxInstances <= minInstances) return undefined;
  const name = serviceName(webServiceId);
  return fingerprinted({
    ...named('HorizontalPodAutoscaler', name, { [LABEL.webService]: webServiceId }),
    spec: {
      scaleTargetRef: { apiVersion: RESOURCES.Deployment.apiVersion, kind: 'Deployment', name },
      minReplicas: minInstances,
      maxReplicas: maxInstances,
      metrics: targetsOf(plan, settings),
    },
  });
};

const targetsOf = ({ instance, autoscaling }: ServicePlan, settings: ServiceObjectSettings): readonly object[] => {
  const { cpuMillicores, memoryMib } = sizeOf(instance, settings);
  const { cpuPercent, memoryPercent } = scalingTargets(autoscaling);
  const target = (name: string, averageValue: string) => ({
    type: 'Resource',
    resource: { name, target: { type: 'AverageValue', averageValue } },
  });
  return [
    ...(cpuPercent ? [target('cpu', `${Math.ceil((cpuMillicores * cpuPercent) / 100)}m`)] : []),
    ...(memoryPercent ? [target('memory', `${Math.ceil((memoryMib * memoryPercent) / 100)}Mi`)] : []),
  ];
};

/** Nodes are drained one instance at a time, without waiting for instances that do not respond. */
export const disruptionBudget = ({ webServiceId }: ServicePlan): Manifest =>
  fingerprinted({
    ...named('PodDisruptionBudget', serviceName(webServiceId), { [LABEL.webService]: webServiceId }),
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { [LABEL.webService]: webServiceId } },
    },
  });

/** The objects of the address of a service; they are kept over all releases and while the service is stopped. */
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

/** Routes a host name to a Service: an HTTPRoute if a Gateway is configured, otherwise an Ingress. */
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
