import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import { firstOperatorOf, type PlatformManagementConfig } from '../../config.js';
import { NewPasswords } from '../users/new-passwords.js';
import { newUser } from './new-user.js';
import { Registrations } from './registrations.js';

/** Creates the configured operator at startup if no operator exists. */
@Injectable()
export class CreateFirstOperator implements OnApplicationBootstrap {
  constructor(
    private readonly registrations: Registrations,
    private readonly passwords: NewPasswords,
    @Inject(CONFIG) private readonly config: PlatformManagementConfig,
  ) {}

  /** @throws the refusal `invalid_input` for an invalid address or a common password. */
  async onApplicationBootstrap(): Promise<void> {
    const operator = firstOperatorOf(this.config);
    // Skips the slow hash at every later startup.
    if (!operator || (await this.registrations.hasOperator())) return;
    await this.registrations.registerFirstOperator(
      await newUser(this.passwords, { ...operator, operator: true, workspace_name: 'Default' }),
    );
  }
}
