import { readFile } from 'node:fs/promises';
import type { Log } from '@postern/messaging';
import { OutboundGuard } from '@postern/outbound';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { assembleKubernetesRuntime } from './kubernetes-runtime/assemble-kubernetes-runtime.js';
import type { KubernetesRuntime } from './kubernetes-runtime/kubernetes-runtime.js';
import type { kubernetesSettings } from './kubernetes-runtime/kubernetes-settings.js';
import { LogStore } from './local-runtime/logs/log-store.js';
import { redactor } from './local-runtime/redactor.js';

export type KubernetesConfig = ConfigOf<ConfigDefinition<typeof kubernetesSettings>> & {
  readonly platformHome: string;
  readonly platformAllowFileRepositories: boolean;
  readonly gitAllowPrivate: boolean;
};

/** Additional CA certificates that this process trusts; the container that pushes images has to trust them, too. */
const ownAuthorities = async (): Promise<string | undefined> => {
  const file = process.env['NODE_EXTRA_CA_CERTS'];
  return file ? await readFile(file, 'utf8') : undefined;
};

/** Starts the Kubernetes runtime. It keeps log lines in the same store as the local runtime. */
export const startKubernetesRuntime = async (config: KubernetesConfig, log: Log): Promise<KubernetesRuntime> => {
  const { platformHome, platformAllowFileRepositories: allowFileRepositories, kubernetesImageRepository } = config;
  if (!kubernetesImageRepository)
    throw new Error('POSTERN_PLATFORM_RUNTIME=kubernetes needs POSTERN_KUBERNETES_IMAGE_REPOSITORY');
  const nodeSelector = config.kubernetesNodeSelector ?? {};
  return assembleKubernetesRuntime({
    namespace: config.kubernetesNamespace,
    platformHome,
    guard: new OutboundGuard({ allowPrivate: config.gitAllowPrivate }),
    logs: new LogStore(platformHome, redactor),
    mask: (text, secrets) => {
      const masking = redactor(secrets);
      return masking.push(text) + masking.end();
    },
    log,
    services: {
      domain: config.platformDomain?.toLowerCase(),
      scheme: config.kubernetesAddressScheme,
      ingressClass: config.kubernetesIngressClass,
      clusterIssuer: config.kubernetesClusterIssuer,
      storageClass: config.kubernetesStorageClass,
      gateway: config.kubernetesGateway,
      nodeSelector,
      pullSecret: config.kubernetesRegistrySecret,
      memoryMiB: config.kubernetesInstanceMemoryMib,
      cpuMillicores: config.kubernetesInstanceCpuMillicores,
      drainSeconds: config.kubernetesDrainSeconds,
    },
    builds: {
      repository: kubernetesImageRepository,
      insecureRegistry: config.kubernetesInsecureRegistry,
      baseImage: config.kubernetesBaseImage,
      builderImage: config.kubernetesBuilderImage,
      registrySecret: config.kubernetesRegistrySecret,
      basePullSecret: config.kubernetesBasePullSecret,
      registryAuthorities: await ownAuthorities(),
      nodeSelector,
      memoryMiB: config.kubernetesBuildMemoryMib,
      cpuMillicores: config.kubernetesBuildCpuMillicores,
      diskMiB: config.kubernetesBuildDiskMib,
      allowFileRepositories,
    },
  });
};
