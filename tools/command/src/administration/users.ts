import { createHash, randomBytes } from 'node:crypto';
import { authenticateSession, createSession, createUser, endSession } from '@postern/contracts';
import { UsageError } from '../errors.js';
import type { Operator } from './operator.js';

interface NewUser {
  readonly operator?: boolean | undefined;
  readonly workspace?: string | undefined;
}

/**
 * `users create <email> [--operator] [--workspace <name>]`: creates a user as the administrator in the environment.
 * Without `POSTERN_NEW_PASSWORD` it generates a password and shows it.
 */
export const createUserAs = async (
  { requests, environment, print, affects }: Operator,
  [email]: readonly string[],
  { operator = false, workspace }: NewUser,
): Promise<boolean> => {
  if (email === undefined) throw new UsageError('users create requires an email address');
  const own = { email: environment['POSTERN_OPERATOR_EMAIL'], password: environment['POSTERN_OPERATOR_PASSWORD'] };
  if (!own.email || !own.password)
    throw new UsageError('set POSTERN_OPERATOR_EMAIL and POSTERN_OPERATOR_PASSWORD to the account of an administrator');
  const chosen = environment['POSTERN_NEW_PASSWORD'];
  const password = chosen || randomBytes(15).toString('base64url');

  const { token } = await requests.request(createSession, {
    email: own.email,
    password: own.password,
    ip: '127.0.0.1',
  });
  const session = { token_hash: createHash('sha256').update(token).digest('hex') };
  try {
    const { user_id } = await requests.request(authenticateSession, session);
    const created = await requests.request(createUser, {
      actor_id: user_id,
      email,
      password,
      operator,
      ...(workspace === undefined ? {} : { workspace_name: workspace }),
    });
    affects?.(created.id);
    print(
      `Created ${operator ? 'administrator' : 'user'} ${created.email} with workspace ${created.workspaces[0]?.name}.`,
    );
    if (!chosen) print(`Password: ${password}`);
  } finally {
    await requests.request(endSession, session);
  }
  return true;
};
