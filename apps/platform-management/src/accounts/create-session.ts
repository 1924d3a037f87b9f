import { createHash, randomBytes } from 'node:crypto';
import { createSession, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { clientNetworkOf } from '@postern/service-host';
import { DeviceTokens } from './device-tokens.js';
import { canonicalAddress } from './email-address.js';
import { LoginGuard } from './login-guard.js';
import { AccountDirectory, PasswordHasher, Sessions, UNKNOWN_DEVICE, UserRepository } from './ports.js';
import { shortUserAgent } from './user-agent.js';

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
    private readonly devices: DeviceTokens,
  ) {}

  async execute(request: RequestOf<typeof createSession>): Promise<ReplyOf<typeof createSession>> {
    const address = canonicalAddress(request.email);
    // An invalid address belongs to no account, so there is no attempt to count.
    const login = address === undefined ? undefined : await this.#verify(address, request);
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
      clientAddress: request.ip,
      userAgent: shortUserAgent(request.user_agent),
    });
    if (!opened) throw credentialsWrong();
    return { token, expires_at: expiresAt.toISOString(), device_token: this.devices.tokenOf(login.account.id) };
  }

  async #verify(address: string, { password, ip, device_token }: RequestOf<typeof createSession>) {
    const credentials = await this.users.credentialsOf(address);
    const source = this.devices.deviceOf(device_token, credentials?.userId) ?? UNKNOWN_DEVICE;
    const login = await this.guard.attempt({ account: address, network: clientNetworkOf(ip), source }, async () => {
      const genuine = await this.passwords.verify(credentials?.passwordHash, password);
      if (!genuine || !credentials) return undefined;
      const account = await this.accounts.find(credentials.userId);
      return account && { account, passwordHash: credentials.passwordHash };
    });
    if (login && credentials?.disabled) throw accountDisabled();
    return login;
  }
}

/** Only for the right password, so that it tells nobody else that the account exists. */
const accountDisabled = (): Refusal =>
  new Refusal('credentials_wrong', 'the account is disabled; ask your administrator');

const credentialsWrong = (): Refusal => new Refusal('credentials_wrong', 'e-mail address or password is wrong');
