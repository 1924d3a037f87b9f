import { Module } from '@nestjs/common';
import { OutboundGuard } from '@postern/outbound';
import { CONFIG } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { RepositoryCredentialsModule } from '../repository-credentials/repository-credentials.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { GitHostClient } from './git-host-client.js';
import { ReportCommitStatuses } from './report-commit-statuses.js';
import type { commitStatusSettings } from './settings.js';

/** Commit statuses and comments, which tell Git hosts about deployments. */
@Module({
  imports: [RepositoryCredentialsModule, WebServicesModule],
  providers: [
    GitHostClient,
    ReportCommitStatuses,
    {
      provide: OutboundGuard,
      inject: [CONFIG],
      useFactory: ({ gitAllowPrivate }: ConfigOf<ConfigDefinition<typeof commitStatusSettings>>) =>
        new OutboundGuard({ allowPrivate: gitAllowPrivate }),
    },
  ],
})
export class CommitStatusesModule {}
