import { Injectable } from '@nestjs/common';
import { NewPasswords } from './new-passwords.js';
import { newUser } from './new-user.js';
import { UserRepository } from './ports.js';

/** Creates the configured operator if no operator exists. */
@Injectable()
export class CreateFirstOperator {
  constructor(
    private readonly users: UserRepository,
    private readonly passwords: NewPasswords,
  ) {}

  /** @throws the refusal `invalid_input` for an invalid address or a common password. */
  async run(operator: { readonly email: string; readonly password: string }): Promise<void> {
    // Skips the slow hash at every later startup.
    if (await this.users.hasOperator()) return;
    await this.users.registerFirstOperator(
      await newUser(this.passwords, { ...operator, operator: true, workspace_name: 'Default' }),
    );
  }
}
