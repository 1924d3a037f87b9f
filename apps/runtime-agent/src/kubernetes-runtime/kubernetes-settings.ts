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
    context.addIssue('is no list of key=value pairs');
    return z.NEVER;
  });

const gateway = () =>
  text()
    .regex(/^[a-z0-9-]+\/[a-z0-9-]+$/, 'is no namespace/name')
    .transform(value => {
      const [namespace = '', name = ''] = value.split('/');
      return { namespace, name };
    });

/** What an operator configures about web services in Kubernetes. */
export const kubernetesSettings = {
  platformRuntime: z
    .enum(['local', 'kubernetes'])
    .default('local')
    .describe('What runs web services: processes of this machine, or the cluster of KUBECONFIG or of the pod.'),
  platformDomain: text()
    .optional()
    .describe(
      'Domain below which every web service has a host of its own; its DNS leads to the load balancer or Ingress.',
    ),
  kubernetesNamespace: text()
    .default('postern-tenants')
    .describe('Namespace of web services and builds; of nothing else.'),
  kubernetesImageRepository: text()
    .regex(/^[^/\s@]+\/[^\s@:]+$/, 'is no repository of a registry, without a tag')
    .optional()
    .describe('Where built images are pushed to, as registry.example.com/postern/web-services; needed in Kubernetes.'),
  kubernetesRegistrySecret: text()
    .optional()
    .describe(
      'Secret of the type kubernetes.io/dockerconfigjson in that namespace, for pushing, pulling and deleting images.',
    ),
  kubernetesBasePullSecret: text()
    .optional()
    .describe(
      'Secret of the same type with which builds pull base images; code of every build can read it, so it may only pull.',
    ),
  kubernetesInsecureRegistry: flag().default(false).describe('Speak to the registry without TLS.'),
  kubernetesBaseImage: text()
    .default('docker.io/library/node:24-bookworm-slim')
    .describe('What images of web services are made on; has to bring Node.js 22.18 or newer.'),
  kubernetesBuilderImage: text()
    .default('docker.io/moby/buildkit:v0.25.1-rootless')
    .describe('Rootless BuildKit with git, for builds.'),
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
    .describe('How addresses of web services begin: whether their Ingress or Gateway ends TLS.'),
  kubernetesNodeSelector: pairs()
    .optional()
    .describe('Labels of the nodes for web services and builds, as key=value,key=value.'),
  kubernetesInstanceMemoryMib: integer().min(32).default(512).describe('Memory of one instance, at most.'),
  kubernetesInstanceCpuMillicores: integer().min(50).default(1_000).describe('Processor of one instance, at most.'),
  kubernetesDrainSeconds: integer()
    .min(0)
    .max(300)
    .default(5)
    .describe('How long an instance that ends still serves, until every proxy knows that it ends.'),
  kubernetesBuildMemoryMib: integer().min(256).default(2_048).describe('Memory of one build, at most.'),
  kubernetesBuildCpuMillicores: integer().min(100).default(2_000).describe('Processor of one build, at most.'),
  kubernetesBuildDiskMib: integer().min(512).default(10_240).describe('Disk of one build, at most.'),
};
