import { inSpan, type Log } from '@postern/messaging';
import { assembleLocalRuntime, LIMITS } from './adapters/local-runtime/assemble-local-runtime.js';
import { assembleLocalBuilds } from './adapters/local-runtime/build/assemble-local-builds.js';
import type { LocalRuntime } from './adapters/local-runtime/local-runtime.js';
import { redactor } from './adapters/local-runtime/redactor.js';
import type { PlatformManagementConfig } from './config.js';

const foreignCodeAsRoot = (platformHome: string): string =>
  `Builds and web services would run as root: other users cannot enter POSTERN_PLATFORM_HOME (${platformHome}) or run ${process.execPath}, or setpriv is missing. Choose a folder that every user may enter, or run platform-management as an ordinary user.`;

export type LocalRuntimeConfig = Pick<
  PlatformManagementConfig,
  'platformHome' | 'platformAllowFileRepositories' | 'platformConcurrentBuilds' | 'platformBalancerPatienceMs'
>;

/** Web services as processes of this machine. */
export const localRuntime = async (config: LocalRuntimeConfig, log: Log): Promise<LocalRuntime> => {
  const {
    platformHome,
    platformAllowFileRepositories: allowFileRepositories,
    platformConcurrentBuilds: concurrentBuilds,
    platformBalancerPatienceMs: balancerPatienceMs,
  } = config;
  const parts = await assembleLocalBuilds({
    platformHome,
    allowFileRepositories,
    concurrentBuilds,
    instanceLimits: LIMITS,
    inStep: (name, step) => inSpan(name, {}, step),
    log,
  });
  if (process.getuid?.() === 0 && !parts.ownUsers) throw new Error(foreignCodeAsRoot(platformHome));
  return assembleLocalRuntime({ ...parts, platformHome, redactor, log, balancerPatienceMs });
};
