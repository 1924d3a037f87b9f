import { createHash, randomBytes } from 'node:crypto';
import { createSession, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { canonicalAddress } from './email-address.js';
import { LoginGuard } from './login-guard.js';
import { AccountDirectory, PasswordHasher, Sessions, UserRepository } from './ports.js';

const SESSION_LIFETIME_MS = 7 * 24 * 3_600_000;

/** Logs in: opens a session in the user's first workspace. Refuses wrong credentials and too many attempts. */
@Handles(createSession)
export class CreateSession {
  constructor(
    private readonly guard: LoginGuard,
    private readonly users: UserRepository,
    private readonly accounts: AccountDirectory,
    private readonly passwords: PasswordHasher,
    private readonly sessions: Sessions,
  ) {}

  async execute({ email, password, ip }: RequestOf<typeof createSession>): Promise<ReplyOf<typeof createSession>> {
    const address = canonicalAddress(email);
    // An invalid address belongs to no account, so there is no attempt to count.
    const login = address === undefined ? undefined : await this.#verify(address, password, ip);
    const workspace = login?.account.workspaces[0];
    if (!login || !workspace) throw credentialsWrong();
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(Date.now() + SESSION_LIFETIME_MS);
    const opened = await this.sessions.open({
      tokenHash: createHash('sha256').update(token).digest('hex'),
      userId: login.account.id,
      workspaceId: workspace.id,
      passwordHash: login.passwordHash,
      expiresAt,
    });
    if (!opened) throw credentialsWrong();
    return { token, expires_at: expiresAt.toISOString() };
  }

  #verify(address: string, password: string, ip: string) {
    return this.guard.attempt(address, ip, async () => {
      const credentials = await this.users.credentialsOf(address);
      const genuine = await this.passwords.verify(credentials?.passwordHash, password);
      if (!genuine || !credentials) return undefined;
      const account = await this.accounts.find(credentials.userId);
      return account && { account, passwordHash: credentials.passwordHash };
    });
  }
}

const credentialsWrong = (): Refusal => new Refusal('credentials_wrong', 'e-mail address or password is wrong');
