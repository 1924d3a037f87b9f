import { Module } from '@nestjs/common';
import { DailyQuotasModule } from '../daily-quotas/daily-quotas.module.js';
import { EmailServicesModule } from '../email-services/email-services.module.js';
import { DnsModule } from '../infrastructure/dns/dns.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { NoticeLimitsModule } from '../notice-limits/notice-limits.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AddSendingDomain } from './add-sending-domain.js';
import { CheckSendingDomain } from './check-sending-domain.js';
import { DomainChecks, Ed25519Keys, SendingDomainRepository } from './ports.js';
import { PostgresDomainChecks } from './postgres-domain-checks.js';
import { PostgresEd25519Keys } from './postgres-ed25519-keys.js';
import { PostgresSendingDomainRepository } from './postgres-sending-domain-repository.js';
import { RecheckSendingDomains } from './recheck-sending-domains.js';
import { RemoveSendingDomain } from './remove-sending-domain.js';
import { RotateDkimKey } from './rotate-dkim-key.js';
import { SendingDomains } from './sending-domains.projection.js';
import { VerifySendingDomain } from './verify-sending-domain.js';

/** Sending domains: their DNS records, DKIM keys and checks. */
@Module({
  imports: [
    PostgresModule,
    EmailServicesModule,
    DailyQuotasModule,
    DnsModule,
    SystemMailModule,
    NoticeLimitsModule,
    WorkspacesModule,
  ],
  providers: [
    SendingDomains,
    AddSendingDomain,
    VerifySendingDomain,
    CheckSendingDomain,
    RecheckSendingDomains,
    RotateDkimKey,
    RemoveSendingDomain,
    { provide: SendingDomainRepository, useClass: PostgresSendingDomainRepository },
    { provide: Ed25519Keys, useClass: PostgresEd25519Keys },
    { provide: DomainChecks, useClass: PostgresDomainChecks },
  ],
  exports: [SendingDomains],
})
export class SendingDomainsModule {}
