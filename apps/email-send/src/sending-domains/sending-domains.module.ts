import { Module } from '@nestjs/common';
import { EmailServicesModule } from '../email-services/email-services.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AddSendingDomain } from './add-sending-domain.js';
import { CheckSendingDomain } from './check-sending-domain.js';
import { DnsResolver } from './dns-resolver.js';
import { RecheckSendingDomains } from './recheck-sending-domains.js';
import { RemoveSendingDomain } from './remove-sending-domain.js';
import { RemoveTrackingHost } from './remove-tracking-host.js';
import { RotateDkimKey } from './rotate-dkim-key.js';
import { SendingDomainRepository } from './sending-domain-repository.js';
import { SendingDomains } from './sending-domains.projection.js';
import { SetTrackingHost } from './set-tracking-host.js';
import { VerifySendingDomain } from './verify-sending-domain.js';

/** Sending domains: their DNS records, DKIM keys and checks. */
@Module({
  imports: [PostgresModule, EmailServicesModule, SystemMailModule, WorkspacesModule],
  providers: [
    SendingDomains,
    AddSendingDomain,
    VerifySendingDomain,
    CheckSendingDomain,
    RecheckSendingDomains,
    RotateDkimKey,
    RemoveSendingDomain,
    SetTrackingHost,
    RemoveTrackingHost,
    SendingDomainRepository,
    DnsResolver,
  ],
  exports: [SendingDomains],
})
export class SendingDomainsModule {}
