import { type createUser, Refusal, type RequestOf } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { canonicalAddress } from '../users/email-address.js';
import type { NewPasswords } from '../users/new-passwords.js';
import type { NewUser } from './registrations.js';

/** Builds the requested user and a workspace with new ids. @throws the refusal `invalid_input`. */
export const newUser = async (
  passwords: NewPasswords,
  { email, password, operator, workspace_name }: Omit<RequestOf<typeof createUser>, 'actor_id'>,
): Promise<NewUser> => {
  const address = canonicalAddress(email);
  if (address === undefined) throw new Refusal('invalid_input', `email: "${email}" must be a valid email address`);
  return {
    userId: uuidv7(),
    email: address,
    passwordHash: await passwords.hash('password', password, [address, workspace_name ?? '']),
    operator,
    workspace: { id: uuidv7(), name: workspace_name ?? `${address}'s workspace` },
  };
};
