import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { CONFIG, ServiceLog } from '@postern/service-host';
import type { PlatformManagementConfig } from './config.js';
import { kubernetesRuntime } from './kubernetes-runtime.providers.js';
import { localRuntime } from './local-runtime.providers.js';
import { Runtime } from './ports/runtime.js';

/** A runtime that can be left to the next leader. */
type HandedOn = Runtime & { letGo(): Promise<void> };

/** Leaves everything running when this process goes. */
@Injectable()
export class RuntimeEnd implements OnApplicationShutdown {
  constructor(@Inject(Runtime) private readonly runtime: HandedOn) {}

  async onApplicationShutdown(): Promise<void> {
    await this.runtime.letGo();
  }
}

/** What runs web services, as POSTERN_PLATFORM_RUNTIME says. */
export const runtimeProviders: Provider[] = [
  {
    provide: Runtime,
    inject: [CONFIG, ServiceLog],
    useFactory: (config: PlatformManagementConfig, log: ServiceLog): Promise<HandedOn> =>
      config.platformRuntime === 'kubernetes' ? kubernetesRuntime(config, log) : localRuntime(config, log),
  },
  RuntimeEnd,
];
