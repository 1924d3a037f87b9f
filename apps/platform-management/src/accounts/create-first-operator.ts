import { Injectable } from '@nestjs/common';
import { newUser } from './new-user.js';
import { PasswordHasher, UserRegistry } from './ports.js';

/** Makes the operator whom the configuration names, as long as there is none. Somebody has to be the first. */
@Injectable()
export class CreateFirstOperator {
  constructor(
    private readonly users: UserRegistry,
    private readonly passwords: PasswordHasher,
  ) {}

  /** Throws the refusal `invalid_input` for an address that is none. */
  async run(operator: { readonly email: string; readonly password: string }): Promise<void> {
    // Spares every later start the slow hash.
    if (await this.users.hasOperator()) return;
    await this.users.registerFirstOperator(
      await newUser(this.passwords, { ...operator, operator: true, workspace_name: 'Default' }),
    );
  }
}
