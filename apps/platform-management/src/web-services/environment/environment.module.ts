import { Module } from '@nestjs/common';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { EventSourcing } from '@postern/service-host';
import { EncryptionModule } from '../../infrastructure/encryption/encryption.module.js';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { READ_MODELS } from '../../infrastructure/postgres/read-models.js';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { DeleteProjectSecret } from './delete-project-secret.js';
import { DeleteSecretFile } from './delete-secret-file.js';
import { DeleteVariable } from './delete-variable.js';
import { ListProjectSecrets } from './list-project-secrets.js';
import { ListSecretFiles } from './list-secret-files.js';
import { ListVariables } from './list-variables.js';
import { NamedValueReader } from './named-value-reader.js';
import { NamedValueRepository } from './named-value-repository.js';
import { PlatformVariables } from './platform-variables.js';
import { ReleaseConfigurations } from './ports.js';
import { PostgresReleaseConfigurations } from './postgres-release-configurations.js';
import { ReencryptValues } from './reencrypt-values.js';
import { ResolveEnvironment } from './resolve-environment.js';
import { SealedValues } from './sealed-values.js';
import { SecretFiles } from './secret-files.js';
import { SetProjectSecret } from './set-project-secret.js';
import { SetProjectSecrets } from './set-project-secrets.js';
import { SetSecretFiles } from './set-secret-files.js';
import { SetVariable } from './set-variable.js';
import { SetVariables } from './set-variables.js';

/** Variables of web services, secrets of projects, and the configurations of releases made from them. */
@Module({
  imports: [prisma, EncryptionModule, ProjectsModule, WebServicesModule, RuntimeModule],
  providers: [
    ListVariables,
    SetVariable,
    SetVariables,
    DeleteVariable,
    ListProjectSecrets,
    SetProjectSecret,
    SetProjectSecrets,
    DeleteProjectSecret,
    ListSecretFiles,
    SetSecretFiles,
    DeleteSecretFile,
    ResolveEnvironment,
    SecretFiles,
    ReencryptValues,
    PlatformVariables,
    NamedValueRepository,
    NamedValueReader,
    { provide: ReleaseConfigurations, useClass: PostgresReleaseConfigurations },
    SealedValues,
    {
      provide: CommandTransactions,
      inject: [EventSourcing],
      useFactory: (source: EventSourcing) => source.transactions(READ_MODELS.resources),
    },
  ],
  exports: [NamedValueReader, PlatformVariables, ReleaseConfigurations],
})
export class EnvironmentModule {}
