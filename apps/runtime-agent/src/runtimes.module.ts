import { Module } from '@nestjs/common';
import { DatabaseBackups, DatabaseRuntime, DatabaseStorage, Runtime } from '@postern/runtime';
import { CONFIG, ServiceLog } from '@postern/service-host';
import type { RuntimeAgentConfig } from './config.js';
import { RefusedDatabases } from './kubernetes-runtime/refused-databases.js';
import { LocalDatabases } from './local-databases/local-databases.js';
import { startKubernetesRuntime } from './start-kubernetes-runtime.js';
import { startLocalRuntime } from './start-local-runtime.js';

/** A runtime that another process can take over. */
export abstract class DetachableRuntime extends Runtime {
  /** Stops the supervision and leaves everything running. */
  abstract detach(): Promise<void>;
}

/** The runtime of databases. */
abstract class Databases {}

/** Provides the runtimes of web services and of databases, as selected by POSTERN_PLATFORM_RUNTIME. */
@Module({
  providers: [
    {
      provide: DetachableRuntime,
      inject: [CONFIG, ServiceLog],
      useFactory: (config: RuntimeAgentConfig, log: ServiceLog): Promise<DetachableRuntime> =>
        config.platformRuntime === 'kubernetes' ? startKubernetesRuntime(config, log) : startLocalRuntime(config, log),
    },
    { provide: Runtime, useExisting: DetachableRuntime },
    {
      provide: Databases,
      inject: [CONFIG],
      useFactory: ({ platformRuntime, platformHome, platformPostgresBin, platformValkeyBin }: RuntimeAgentConfig) =>
        platformRuntime === 'kubernetes'
          ? new RefusedDatabases()
          : new LocalDatabases(platformHome, {
              postgresBin: platformPostgresBin,
              valkeyBin: platformValkeyBin,
              path: process.env['PATH'],
            }),
    },
    { provide: DatabaseRuntime, useExisting: Databases },
    { provide: DatabaseStorage, useExisting: Databases },
    { provide: DatabaseBackups, useExisting: Databases },
  ],
  exports: [DetachableRuntime, Runtime, DatabaseRuntime, DatabaseStorage, DatabaseBackups],
})
export class RuntimesModule {}
