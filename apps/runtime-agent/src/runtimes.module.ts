import { Inject, Injectable, Module } from '@nestjs/common';
import { DatabaseBackups, DatabaseExtensions, DatabaseRuntime, DatabaseStorage, Runtime } from '@postern/runtime';
import { CONFIG, ServiceLog, Tasks } from '@postern/service-host';
import type { RuntimeAgentConfig } from './config.js';
import { PlatformUploads } from './infrastructure/platform-uploads.js';
import { RefusedDatabases } from './kubernetes-runtime/refused-databases.js';
import { DatabaseNetworks } from './local-runtime/databases/database-networks.js';
import { LocalDatabases } from './local-runtime/databases/local-databases.js';
import { programWarnings } from './local-runtime/databases/programs.js';
import { DiskImages } from './local-runtime/sandbox/areas/disk-images.js';
import { hasNetworks, openNetworks } from './local-runtime/sandbox/network/open-networks.js';
import { startKubernetesRuntime } from './start-kubernetes-runtime.js';
import { startLocalRuntime } from './start-local-runtime.js';

/** A runtime that another process can take over. */
export abstract class DetachableRuntime extends Runtime {
  /** Stops the supervision and leaves everything running. */
  abstract detach(): Promise<void>;
}

const ARCHIVE_EVERY_MS = 1_000;

/** The runtime of databases. */
abstract class Databases {}

/** The networks of databases on this machine; they are opened when they are first used. */
@Injectable()
class NetworksOfDatabases extends DatabaseNetworks {
  constructor(@Inject(CONFIG) config: RuntimeAgentConfig) {
    const networks = async () => {
      const found = await openNetworks(config.platformHome, config);
      return hasNetworks(found) ? found : undefined;
    };
    super(config.platformHome, networks, config.platformDatabaseHost);
  }
}

/** Provides the runtimes of web services and of databases, as selected by POSTERN_PLATFORM_RUNTIME. */
@Module({
  providers: [
    NetworksOfDatabases,
    PlatformUploads,
    {
      provide: DetachableRuntime,
      inject: [CONFIG, ServiceLog, NetworksOfDatabases, PlatformUploads],
      useFactory: (
        config: RuntimeAgentConfig,
        log: ServiceLog,
        databases: NetworksOfDatabases,
        uploads: PlatformUploads,
      ): Promise<DetachableRuntime> =>
        config.platformRuntime === 'kubernetes'
          ? startKubernetesRuntime(config, log)
          : startLocalRuntime(config, log, {
              permit: (webServiceId, client) => databases.permit(webServiceId, client),
              uploads,
            }),
    },
    { provide: Runtime, useExisting: DetachableRuntime },
    {
      provide: Databases,
      inject: [CONFIG, NetworksOfDatabases, ServiceLog, Tasks],
      useFactory: async (
        { platformRuntime, platformHome, ...config }: RuntimeAgentConfig,
        networks: NetworksOfDatabases,
        log: ServiceLog,
        tasks: Tasks,
      ) => {
        if (platformRuntime === 'kubernetes') return new RefusedDatabases();
        const path = process.env['PATH'];
        const places = { postgresBin: config.platformPostgresBin, valkeyBin: config.platformValkeyBin, path };
        for (const warning of await programWarnings(places).catch(() => [])) log.warn({}, warning);
        const databases = new LocalDatabases(platformHome, places, {
          networks,
          images: DiskImages.whenNeeded(platformHome),
          acceptsKnownHoles: config.platformKnownHoles,
          recoveryDays: config.platformDatabaseRecoveryDays,
        });
        tasks.every(ARCHIVE_EVERY_MS, 'archive the write-ahead logs of databases', () => databases.archive());
        return databases;
      },
    },
    { provide: DatabaseRuntime, useExisting: Databases },
    { provide: DatabaseStorage, useExisting: Databases },
    { provide: DatabaseBackups, useExisting: Databases },
    { provide: DatabaseExtensions, useExisting: Databases },
  ],
  exports: [DetachableRuntime, Runtime, DatabaseRuntime, DatabaseStorage, DatabaseBackups, DatabaseExtensions],
})
export class RuntimesModule {}
