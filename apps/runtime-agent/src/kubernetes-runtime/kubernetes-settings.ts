import { flag, integer, text } from '@postern/service-host/config';
import { z } from 'zod';

/** `key=value` pairs, comma-separated. */
const pairs = () =>
  text().transform((value, context) => {
    const found = value
      .split(',')
      .filter(Boolean)
      .map(pair => pair.trim().split('='));
    if (found.every(pair => pair.length === 2)) return Object.fromEntries(found) as Record<string, string>;
    context.addIssue('must be a list of key=value pairs');
    return z.NEVER;
  });

const gateway = () =>
  text()
    .regex(/^[a-z0-9-]+\/[a-z0-9-]+$/, 'must have the form namespace/name')
    .transform(value => {
      const [namespace = '', name = ''] = value.split('/');
      return { namespace, name };
    });

/** Settings of the operator for web services in Kubernetes. */
export const kubernetesSettings = {
  platformRuntime: z
    .enum(['local', 'kubernetes'])
    .default('local')
    .describe(
      'Where web services run: as processes on this machine, or in the Kubernetes cluster of KUBECONFIG or of the pod.',
    ),
  platformDomain: text()
    .optional()
    .describe(
      'Parent domain of the host names of web services; its wildcard DNS record must point to the load balancer or Ingress.',
    ),
  kubernetesNamespace: text().default('postern-tenants').describe('Namespace for web services and builds only.'),
  kubernetesImageRepository: text()
    .regex(/^[^/\s@]+\/[^\s@:]+$/, 'must be a repository of a registry, without a tag')
    .optional()
    .describe(
      'Repository for built images, such as registry.example.com/postern/web-services; required on Kubernetes.',
    ),
  kubernetesRegistrySecret: text()
    .optional()
    .describe(
      'Secret of type kubernetes.io/dockerconfigjson in that namespace, for pushing, pulling and deleting images.',
    ),
  kubernetesBasePullSecret: text()
    .optional()
    .describe(
      'Secret of the same type for pulling base images; build code can read it, so it must have pull access only.',
    ),
  kubernetesInsecureRegistry: flag().default(false).describe('Connects to the registry without TLS.'),
  kubernetesBaseImage: text()
    .default('docker.io/library/node:24-bookworm-slim')
    .describe('Base image of web services; must contain Node.js 22.18 or newer.'),
  kubernetesBuilderImage: text()
    .default('docker.io/moby/buildkit:v0.25.1-rootless')
    .describe('Image for builds: rootless BuildKit with git.'),
  kubernetesIngressClass: text()
    .optional()
    .describe('Class of the Ingresses of web services; the cluster’s default if unset.'),
  kubernetesGateway: gateway()
    .optional()
    .describe('Gateway (namespace/name) that HTTPRoutes of web services attach to, instead of Ingresses.'),
  kubernetesClusterIssuer: text()
    .optional()
    .describe('ClusterIssuer of cert-manager for the certificates of custom domains behind an Ingress.'),
  kubernetesStorageClass: text()
    .optional()
    .describe('StorageClass of the disks of web services; the cluster’s default if unset.'),
  kubernetesAddressScheme: z
    .enum(['http', 'https'])
    .default('https')
    .describe('Scheme of the URLs of web services: https if the Ingress or Gateway terminates TLS.'),
  kubernetesNodeSelector: pairs()
    .optional()
    .describe('Labels of the nodes for web services and builds, as key=value,key=value.'),
  kubernetesInstanceMemoryMib: integer().min(32).default(512).describe('Memory limit of an instance.'),
  kubernetesInstanceCpuMillicores: integer().min(50).default(1_000).describe('CPU limit of an instance.'),
  kubernetesDrainSeconds: integer()
    .min(0)
    .max(300)
    .default(5)
    .describe('Time that a terminating instance continues to serve, until all proxies have removed it.'),
  kubernetesBuildMemoryMib: integer().min(256).default(2_048).describe('Memory limit of a build.'),
  kubernetesBuildCpuMillicores: integer().min(100).default(2_000).describe('CPU limit of a build.'),
  kubernetesBuildDiskMib: integer().min(512).default(10_240).describe('Disk limit of a build.'),
};
