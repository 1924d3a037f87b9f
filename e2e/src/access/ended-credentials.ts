import { hash } from 'node:crypto';
import pg from 'pg';
import { callApi } from './client.js';
import type { Credential } from './credentials.js';
import type { TestUser } from './test-user.js';

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}`, 'api-key': secret });

/** Credentials that were valid: an expired session, and those of a user whom the operator has disabled. */
export const endedCredentials = async (
  owner: TestUser,
  disabled: TestUser,
  operator: { readonly token: string },
  accountsDatabaseUrl: string,
): Promise<readonly Credential[]> => {
  const expired = await owner.newSession();
  await expire(expired, accountsDatabaseUrl);
  const created = await disabled.call('POST', '/dashboard/api/platform-keys', { name: 'matrix', scope: 'write' });
  const { status } = await callApi(owner.baseUrl, {
    method: 'PATCH',
    path: `/dashboard/api/users/${disabled.id}`,
    headers: bearer(operator.token),
    body: { enabled: false },
  });
  if (created.status !== 201 || status !== 200) throw new Error(`The user was not disabled: ${status}`);
  const key = String(created.json['key']);
  return [
    { name: 'an expired session', kind: 'none', headers: bearer(expired) },
    { name: 'the session of a disabled user', kind: 'none', headers: bearer(disabled.token) },
    { name: 'a write key of a disabled user', kind: 'none', headers: bearer(key) },
  ];
};

/** No route expires a session, so its expiry is set in the database. */
const expire = async (token: string, databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `UPDATE sessions SET expires_at = now() - interval '1 second' WHERE token_hash = $1`,
      [hash('sha256', token, 'hex')],
    );
    if (rowCount !== 1) throw new Error('The session to expire was not found');
  } finally {
    await client.end();
  }
};
