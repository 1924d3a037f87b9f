import { Module } from '@nestjs/common';
import { QuotaUsageModule } from '../../accounts/quotas/quota-usage.module.js';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { EnvironmentModule } from '../environment/environment.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { CancelRun } from './cancel-run.js';
import { CreateRun } from './create-run.js';
import { ExecuteRuns } from './execute-runs.js';
import { FollowRun } from './follow-run.js';
import { GetRun } from './get-run.js';
import { ListRuns } from './list-runs.js';
import { OpenShell } from './open-shell.js';
import { Runs } from './runs.js';

/** One-off commands of web services. */
@Module({
  imports: [EnvironmentModule, ProjectsModule, QuotaUsageModule, RuntimeModule, WebServicesModule],
  providers: [CreateRun, OpenShell, ListRuns, GetRun, FollowRun, CancelRun, ExecuteRuns, Runs],
  exports: [Runs],
})
export class RunsModule {}
