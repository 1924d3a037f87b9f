import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, ServiceLog } from '@postern/service-host';
import { LocalDatabases } from '../../adapters/local-databases/local-databases.js';
import type { PlatformManagementConfig } from '../../config.js';
import { DatabaseStorage } from '../../databases/ports.js';
import { kubernetesRuntime } from '../../kubernetes-runtime.providers.js';
import { localRuntime } from '../../local-runtime.providers.js';
import { DatabaseRuntime } from '../../ports/database-runtime.js';
import { Runtime } from '../../ports/runtime.js';

type DetachableRuntime = Runtime & { letGo(): Promise<void> };

/** Leaves builds and instances running when this process stops. */
@Injectable()
class DetachRuntime implements OnApplicationShutdown {
  constructor(@Inject(Runtime) private readonly runtime: DetachableRuntime) {}

  async onApplicationShutdown(): Promise<void> {
    await this.runtime.letGo();
  }
}

/** Provides what runs web services, as POSTERN_PLATFORM_RUNTIME selects it, and what runs databases. */
@Module({
  providers: [
    {
      provide: Runtime,
      inject: [CONFIG, ServiceLog],
      useFactory: (config: PlatformManagementConfig, log: ServiceLog): Promise<DetachableRuntime> =>
        config.platformRuntime === 'kubernetes' ? kubernetesRuntime(config, log) : localRuntime(config, log),
    },
    DetachRuntime,
    {
      provide: LocalDatabases,
      inject: [CONFIG],
      useFactory: ({ platformHome, platformPostgresBin, platformValkeyBin }: PlatformManagementConfig) =>
        new LocalDatabases(platformHome, {
          postgresBin: platformPostgresBin,
          valkeyBin: platformValkeyBin,
          path: process.env['PATH'],
        }),
    },
    { provide: DatabaseRuntime, useExisting: LocalDatabases },
    { provide: DatabaseStorage, useExisting: LocalDatabases },
  ],
  exports: [Runtime, DatabaseRuntime, DatabaseStorage],
})
export class RuntimeModule {}
