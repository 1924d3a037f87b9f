import { createHash, randomBytes } from 'node:crypto';
import { createSession, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { clientNetworkOf, DatabaseClock, shortUserAgent, wideNetworkOf } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { UNKNOWN_DEVICE } from '../login-limits/login-attempt.js';
import { LoginGuard } from '../login-limits/login-guard.js';
import { type SecondFactorAnswer, SecondFactorCheck } from '../second-factors/second-factor-check.js';
import { DeviceTokens } from '../sessions/device-tokens.js';
import { canonicalAddress } from '../users/email-address.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { type Account, AccountDirectory } from '../users/ports.js';
import { UserRepository } from '../users/user-repository.js';
import { Logins, type NewSession } from './logins.js';

const SESSION_LIFETIME_MS = 7 * 24 * 3_600_000;

/**
 * Logs in: opens a session in the user's first workspace, which is created if there is none. Refuses wrong credentials
 * and too many attempts.
 */
@Handles(createSession)
export class CreateSession {
  constructor(
    private readonly guard: LoginGuard,
    private readonly users: UserRepository,
    private readonly accounts: AccountDirectory,
    private readonly passwords: PasswordHasher,
    private readonly logins: Logins,
    private readonly devices: DeviceTokens,
    private readonly secondFactor: SecondFactorCheck,
    private readonly clock: DatabaseClock,
  ) {}

  async execute(request: RequestOf<typeof createSession>): Promise<ReplyOf<typeof createSession>> {
    const address = canonicalAddress(request.email);
    // An invalid address belongs to no account, so there is no attempt to count.
    const login = address === undefined ? undefined : await this.#verify(address, request);
    if (!login) throw credentialsWrong();
    const token = `st_live_${randomBytes(32).toString('base64url')}`;
    const expiresAt = new Date(this.clock.now().getTime() + SESSION_LIFETIME_MS);
    const opened = await this.logins.open({
      tokenHash: createHash('sha256').update(token).digest('hex'),
      userId: login.account.id,
      workspace: login.account.workspaces[0] ?? newWorkspaceOf(login.account),
      passwordHash: login.passwordHash,
      expiresAt,
      clientAddress: request.ip,
      userAgent: shortUserAgent(request.user_agent),
      isKnownDevice: this.devices.deviceOf(request.device_token, login.account.id) !== undefined,
    });
    if (!opened) throw credentialsWrong();
    return { token, expires_at: expiresAt.toISOString(), device_token: this.devices.tokenOf(login.account.id) };
  }

  async #verify(address: string, { password, code, ip, device_token }: RequestOf<typeof createSession>) {
    const credentials = await this.users.credentialsOf(address);
    const source = this.devices.deviceOf(device_token, credentials?.userId) ?? UNKNOWN_DEVICE;
    let answer = 'absent' as SecondFactorAnswer;
    const from = { network: clientNetworkOf(ip), wideNetwork: wideNetworkOf(ip) ?? 'unknown', source };
    const login = await this.guard.attempt({ account: address, ...from }, async () => {
      const genuine = await this.passwords.verify(credentials?.passwordHash, password);
      if (!genuine || !credentials) return undefined;
      answer = credentials.disabled ? 'absent' : await this.secondFactor.answer(credentials.userId, code);
      if (answer === 'required' || answer === 'wrong') return undefined;
      const account = await this.accounts.find(credentials.userId);
      return account && { account, passwordHash: credentials.passwordHash };
    });
    // Both refusals count as failed attempts until a correct code clears them.
    if (!login && answer === 'required') throw codeRequired();
    if (!login && answer === 'wrong') throw codeWrong();
    if (login && credentials?.disabled) throw accountDisabled();
    return login;
  }
}

/** The workspace of a user who was removed from all workspaces. */
const newWorkspaceOf = ({ email }: Account): NewSession['workspace'] => ({
  id: uuidv7(),
  name: `${email}'s workspace`,
  isNew: true,
});

/** Thrown only after a correct password, so that it does not reveal the existence of the account. */
const accountDisabled = (): Refusal =>
  new Refusal('credentials_wrong', 'the account is disabled; ask your administrator');

const codeRequired = (): Refusal => new Refusal('second_factor_required', 'enter the code from your authenticator app');

const codeWrong = (): Refusal =>
  new Refusal('credentials_wrong', 'incorrect or already used code; wait for the next one');

const credentialsWrong = (): Refusal => new Refusal('credentials_wrong', 'incorrect email or password');
