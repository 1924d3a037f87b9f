import { Module } from '@nestjs/common';
import { QuotaUsageModule } from '../../accounts/quotas/quota-usage.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { DeleteObsoletePreviews } from './delete-obsolete-previews.js';
import { Previews } from './previews.js';

/** Previews: web services of pull and merge requests, which events of Git hosts create, deploy and delete. */
@Module({
  imports: [ProjectsModule, QuotaUsageModule, WebServicesModule],
  providers: [Previews, DeleteObsoletePreviews],
  exports: [Previews],
})
export class PreviewsModule {}
