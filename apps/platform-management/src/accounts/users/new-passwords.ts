import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts/refusal';
import { PasswordHasher } from './password-hasher.js';
import { PasswordRules } from './password-rules.js';
import type { Account } from './ports.js';

/** Checks and hashes the passwords that users choose. */
@Injectable()
export class NewPasswords {
  constructor(
    private readonly rules: PasswordRules,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * The hash of a new password. `field` is the field of the request that contains it, and `ownWords` are the address and names of
   * the user. @throws the refusal `invalid_input`.
   */
  async hash(field: string, password: string, ownWords: readonly string[]): Promise<string> {
    const problem = this.rules.problemOf(password, ownWords);
    if (problem !== undefined) throw new Refusal('invalid_input', `${field}: ${problem}`);
    return this.hasher.hash(password);
  }
}

/** The terms that an attacker tries first for the user. */
export const guessableTermsOf = ({ email, workspaces }: Account): readonly string[] => [
  email,
  ...workspaces.map(({ name }) => name),
];
