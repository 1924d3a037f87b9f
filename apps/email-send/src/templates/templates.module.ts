import { Module } from '@nestjs/common';
import { EmailServicesModule } from '../email-services/email-services.module.js';
import { TemplateRepository } from './template-repository.js';
import { Templates } from './templates.js';

/** Stored templates with variables and versions. */
@Module({
  imports: [EmailServicesModule],
  providers: [Templates, TemplateRepository],
  exports: [Templates],
})
export class TemplatesModule {}
