import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { createSession, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { LOGIN_WINDOW_S, refuseGuessing } from '../domain/login-limit.js';
import { AccountDirectory, LoginFailures, PasswordHasher, Sessions, UserRegistry } from '../ports.js';

export const SESSION_LIFETIME_MS = 7 * 24 * 3_600_000;

/** Opens a session in the user's first workspace. Refuses wrong credentials and guessing with the same patience. */
@Injectable()
export class CreateSession {
  constructor(
    private readonly users: UserRegistry,
    private readonly accounts: AccountDirectory,
    private readonly passwords: PasswordHasher,
    private readonly failures: LoginFailures,
    private readonly sessions: Sessions,
  ) {}

  async execute({ email, password, ip }: RequestOf<typeof createSession>): Promise<ReplyOf<typeof createSession>> {
    const address = email.trim().toLowerCase();
    refuseGuessing(await this.failures.recent(address, ip, LOGIN_WINDOW_S));
    const credentials = await this.users.credentialsOf(address);
    const genuine = await this.passwords.verify(credentials?.passwordHash, password);
    const account = genuine && credentials ? await this.accounts.find(credentials.userId) : undefined;
    const workspace = account?.workspaces[0];
    if (!account || !workspace) {
      await this.failures.record(address, ip);
      throw new Refusal('credentials_wrong', 'e-mail address or password is wrong');
    }
    await this.failures.forgive(address);
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(Date.now() + SESSION_LIFETIME_MS);
    await this.sessions.open(
      createHash('sha256').update(token).digest('hex'),
      { userId: account.id, workspaceId: workspace.id },
      expiresAt,
    );
    return { token, expires_at: expiresAt.toISOString() };
  }
}
