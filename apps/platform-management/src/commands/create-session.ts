import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type createSession, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { AccountDirectory, PasswordHasher, Sessions, UserRegistry } from '../ports.js';
import { LoginGuard } from './login-guard.js';

const SESSION_LIFETIME_MS = 7 * 24 * 3_600_000;

/** Opens a session in the user's first workspace. Refuses wrong credentials and guessing with the same patience. */
@Injectable()
export class CreateSession {
  constructor(
    private readonly guard: LoginGuard,
    private readonly users: UserRegistry,
    private readonly accounts: AccountDirectory,
    private readonly passwords: PasswordHasher,
    private readonly sessions: Sessions,
  ) {}

  async execute({ email, password, ip }: RequestOf<typeof createSession>): Promise<ReplyOf<typeof createSession>> {
    const address = email.trim().toLowerCase();
    const account = await this.guard.attempt(address, ip, async () => {
      const credentials = await this.users.credentialsOf(address);
      const genuine = await this.passwords.verify(credentials?.passwordHash, password);
      return genuine && credentials ? this.accounts.find(credentials.userId) : undefined;
    });
    const workspace = account?.workspaces[0];
    if (!account || !workspace) throw new Refusal('credentials_wrong', 'e-mail address or password is wrong');
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
