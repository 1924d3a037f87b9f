import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { CreateUser } from '../commands/create-user.js';
import { UserRegistry } from '../ports.js';

/** Makes the operator whom the configuration names, as long as there is none. Somebody has to be the first. */
@Injectable()
export class CreateFirstOperator {
  constructor(
    private readonly users: UserRegistry,
    private readonly creating: CreateUser,
  ) {}

  async run(operator: { readonly email: string; readonly password: string }): Promise<void> {
    if (await this.users.hasOperator()) return;
    try {
      await this.creating.register({ ...operator, operator: true, workspace_name: 'Default' });
    } catch (error) {
      // Another replica was quicker.
      if (!Refusal.is(error) || error.code !== 'user_exists') throw error;
    }
  }
}
