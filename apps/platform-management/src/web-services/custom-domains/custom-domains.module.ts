import { Module } from '@nestjs/common';
import { QuotaUsageModule } from '../../accounts/quotas/quota-usage.module.js';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { AddCustomDomain } from './add-custom-domain.js';
import { AskCertificate } from './ask-certificate.js';
import { CheckCertificates } from './check-certificates.js';
import { CustomDomains } from './custom-domains.js';
import { DomainDns } from './domain-dns.js';
import { DomainRoutes } from './domain-routes.js';
import { DomainTarget } from './domain-target.js';
import { ListCustomDomains } from './list-custom-domains.js';
import { RemoveCustomDomain } from './remove-custom-domain.js';
import { VerifyCustomDomain } from './verify-custom-domain.js';

/** Customers' own domains for web services. */
@Module({
  imports: [prisma, ProjectsModule, QuotaUsageModule, RuntimeModule, WebServicesModule],
  providers: [
    AddCustomDomain,
    VerifyCustomDomain,
    RemoveCustomDomain,
    ListCustomDomains,
    AskCertificate,
    CheckCertificates,
    DomainRoutes,
    DomainTarget,
    CustomDomains,
    DomainDns,
  ],
})
export class CustomDomainsModule {}
