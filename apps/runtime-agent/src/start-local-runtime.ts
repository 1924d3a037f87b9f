import { totalmem } from 'node:os';
import { inSpan, type Log } from '@postern/messaging';
import { OutboundGuard } from '@postern/outbound';
import { concurrentBuildsOf } from '@postern/service-host/config';
import type { RuntimeAgentConfig } from './config.js';
import { assembleLocalRuntime, LIMITS } from './local-runtime/assemble-local-runtime.js';
import { assembleLocalBuilds, type LocalBuildsOptions } from './local-runtime/build/assemble-local-builds.js';
import { buildMemoryBytes } from './local-runtime/build/build-limits.js';
import type { LocalRuntime } from './local-runtime/local-runtime.js';
import { redactor } from './local-runtime/redactor.js';
import type { RuntimeTimes } from './local-runtime/rolls/runtime-times.js';
import type { NetworkSettings } from './local-runtime/sandbox/network/network-settings.js';
import { machineNetworks } from './local-runtime/sandbox/network/open-networks.js';

const untrustedCodeAsRootMessage = (platformHome: string): string =>
  `Builds and web services would run as root: other users cannot enter POSTERN_PLATFORM_HOME (${platformHome}) or run ${process.execPath}, or setpriv is missing. Choose a folder that every user may enter, or run runtime-agent as an ordinary user.`;

export type LocalRuntimeConfig = Pick<
  RuntimeAgentConfig,
  | 'platformHome'
  | 'platformAllowFileRepositories'
  | 'platformBuildMemoryMib'
  | 'platformConcurrentBuilds'
  | 'platformBalancerPatienceMs'
  | 'platformObservationMs'
  | 'gitAllowPrivate'
> &
  NetworkSettings & {
    /** For tests: shorter times. */
    readonly times?: Partial<RuntimeTimes>;
    readonly minimumAgeMs?: number;
  };

/** Starts the runtime that runs web services as processes of this machine, and ends builds left by an earlier run. */
export const startLocalRuntime = async (
  config: LocalRuntimeConfig,
  log: Log,
  { permit, uploads }: Pick<LocalBuildsOptions, 'permit' | 'uploads'> = {},
): Promise<LocalRuntime> => {
  const {
    platformHome,
    platformAllowFileRepositories: allowFileRepositories,
    platformBuildMemoryMib,
    platformConcurrentBuilds,
    gitAllowPrivate: allowPrivate,
    platformBalancerPatienceMs: balancerTimeoutMs,
    platformObservationMs: observationMs,
    times,
    minimumAgeMs,
  } = config;
  const concurrentBuilds = concurrentBuildsOf(platformConcurrentBuilds);
  const memoryBytes =
    platformBuildMemoryMib === undefined
      ? buildMemoryBytes(totalmem(), concurrentBuilds)
      : platformBuildMemoryMib * 2 ** 20;
  const parts = await assembleLocalBuilds({
    platformHome,
    allowFileRepositories,
    guard: new OutboundGuard({ allowPrivate }),
    ...(uploads && { uploads }),
    concurrentBuilds,
    limits: { memoryBytes },
    instanceLimits: LIMITS,
    inStep: (name, step) => inSpan(name, {}, step),
    network: await machineNetworks(platformHome, config),
    ...(permit && { permit }),
    log,
    ...(minimumAgeMs !== undefined && { minimumAgeMs }),
  });
  if (process.getuid?.() === 0 && !parts.ownUsers) throw new Error(untrustedCodeAsRootMessage(platformHome));
  await parts.builds.reconcile();
  return assembleLocalRuntime({
    ...parts,
    platformHome,
    redactor,
    log,
    balancerTimeoutMs,
    acceptsSharedNetwork: config.sharedNetwork,
    times: { observationMs, ...times },
  });
};
