import { Injectable } from '@nestjs/common';
import { newUser } from './new-user.js';
import { PasswordHasher, PasswordRules, UserRepository } from './ports.js';

/** Creates the configured operator if no operator exists. */
@Injectable()
export class CreateFirstOperator {
  constructor(
    private readonly users: UserRepository,
    private readonly passwords: PasswordHasher,
    private readonly rules: PasswordRules,
  ) {}

  /** @throws the refusal `invalid_input` for an invalid address or a common password. */
  async run(operator: { readonly email: string; readonly password: string }): Promise<void> {
    // Skips the slow hash at every later startup.
    if (await this.users.hasOperator()) return;
    await this.users.registerFirstOperator(
      await newUser(this.passwords, this.rules, { ...operator, operator: true, workspace_name: 'Default' }),
    );
  }
}
