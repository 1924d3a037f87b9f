import { Module } from '@nestjs/common';
import { EmailServicesModule } from '../email-services/email-services.module.js';
import { ListEmailProblems } from './list-email-problems.js';

/** What is wrong in a workspace, for its home page. */
@Module({ imports: [EmailServicesModule], providers: [ListEmailProblems], exports: [ListEmailProblems] })
export class ProblemsModule {}
