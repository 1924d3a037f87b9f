import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG, Tasks } from '@postern/service-host';
import { firstOperatorOf, type PlatformManagementConfig } from '../config.js';
import { CreateFirstOperator } from './create-first-operator.js';
import { DeleteExpiredLogins } from './delete-expired-logins.js';

/** Creates the first operator at startup and deletes expired logins on a timer. */
@Injectable()
export class AccountTimers implements OnApplicationBootstrap {
  constructor(
    @Inject(CONFIG) private readonly config: PlatformManagementConfig,
    private readonly tasks: Tasks,
    private readonly firstOperator: CreateFirstOperator,
    private readonly expiredLogins: DeleteExpiredLogins,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const operator = firstOperatorOf(this.config);
    if (operator) await this.firstOperator.run(operator);
    this.tasks.every(10 * 60_000, 'delete expired logins', () => this.expiredLogins.run());
  }
}
