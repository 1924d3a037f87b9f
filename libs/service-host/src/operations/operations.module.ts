import { type DynamicModule, type FactoryProvider, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import type { ServiceName } from '@postern/contracts';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { Database } from '../database/database.js';
import { PublishedLog } from '../event-sourcing/published-log.js';
import { ServiceLog } from '../log/service-log.js';
import { operationsHandlers } from './operations-handlers.js';
import { ServiceOperations, type ServiceOperationsOptions } from './service-operations.js';

/** Dependencies that differ between services. */
export type OperationsParts = Pick<ServiceOperationsOptions, 'sealed' | 'personal' | 'diagnosis'>;

export interface OperationsModuleOptions
  extends Pick<FactoryProvider<OperationsParts>, 'inject' | 'useFactory'>,
    Pick<ModuleMetadata, 'imports' | 'providers'> {
  readonly service: ServiceName;
}

/** Handles the operator's requests to a service; `imports` includes its `EventSourcingModule`. */
@Module({})
export class OperationsModule {
  static forService({
    service,
    imports = [],
    providers = [],
    inject = [],
    useFactory,
  }: OperationsModuleOptions): DynamicModule {
    const operations: Provider = {
      provide: ServiceOperations,
      inject: [Database, ProjectionRunner, ServiceLog, { token: PublishedLog, optional: true }, ...inject],
      useFactory: async (
        database: Database,
        projections: ProjectionRunner,
        log: ServiceLog,
        published: PublishedLog | undefined,
        ...dependencies: unknown[]
      ) =>
        new ServiceOperations({
          database,
          projections,
          log,
          ...(published ? { published } : {}),
          ...(await useFactory(...dependencies)),
        }),
    };
    return { module: OperationsModule, imports, providers: [operations, operationsHandlers(service), ...providers] };
  }
}
