import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { CONFIG, Tasks } from '@postern/service-host';
import { SessionsController } from './adapters/nats/sessions.controller.js';
import { UsersController } from './adapters/nats/users.controller.js';
import { firstOperatorOf, type PlatformManagementConfig } from './config.js';
import { providers } from './platform-management.providers.js';
import { CreateFirstOperator } from './reactions/create-first-operator.js';
import { ForgetOldLogins } from './reactions/forget-old-logins.js';

/** Users, workspaces and sessions. */
@Module({ controllers: [SessionsController, UsersController], providers })
export class PlatformManagementModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(CONFIG) private readonly config: PlatformManagementConfig,
    private readonly projections: ProjectionRunner,
    private readonly tasks: Tasks,
    private readonly operator: CreateFirstOperator,
    private readonly logins: ForgetOldLogins,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const firstOperator = firstOperatorOf(this.config);
    await this.projections.start();
    if (firstOperator) await this.operator.run(firstOperator);
    this.tasks.every(10 * 60_000, 'forget old logins', () => this.logins.run());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.projections.stop();
  }
}
