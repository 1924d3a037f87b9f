import { Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { CONFIG, ServiceLog } from '@postern/service-host';
import { assembleLocalRuntime, LIMITS } from './adapters/local-runtime/assemble-local-runtime.js';
import { assembleLocalBuilds } from './adapters/local-runtime/build/assemble-local-builds.js';
import { LocalRuntime } from './adapters/local-runtime/local-runtime.js';
import { redactor } from './adapters/local-runtime/redactor.js';
import type { PlatformManagementConfig } from './config.js';
import { Runtime } from './ports/runtime.js';

/** Leaves everything running when this process goes. */
@Injectable()
export class LocalRuntimeEnd implements OnApplicationShutdown {
  constructor(private readonly runtime: LocalRuntime) {}

  async onApplicationShutdown(): Promise<void> {
    await this.runtime.letGo();
  }
}

const foreignCodeAsRoot = (platformHome: string): string =>
  `Builds and web services would run as root: other users cannot enter POSTERN_PLATFORM_HOME (${platformHome}) or run ${process.execPath}, or setpriv is missing. Choose a folder that every user may enter, or run platform-management as an ordinary user.`;

/** Web services as processes of this machine. */
export const localRuntimeProviders: Provider[] = [
  {
    provide: LocalRuntime,
    inject: [CONFIG, ServiceLog],
    useFactory: async (config: PlatformManagementConfig, log: ServiceLog) => {
      const {
        platformHome,
        platformAllowFileRepositories: allowFileRepositories,
        platformConcurrentBuilds: concurrentBuilds,
        platformBalancerPatienceMs: balancerPatienceMs,
      } = config;
      const builds = { platformHome, allowFileRepositories, concurrentBuilds, instanceLimits: LIMITS, log };
      const parts = await assembleLocalBuilds(builds);
      if (process.getuid?.() === 0 && !parts.ownUsers) throw new Error(foreignCodeAsRoot(platformHome));
      return assembleLocalRuntime({ ...parts, platformHome, redactor, log, balancerPatienceMs });
    },
  },
  { provide: Runtime, useExisting: LocalRuntime },
  LocalRuntimeEnd,
];
