import { AuthenticationError, NotFoundError, Postern } from '@postern/sdk';
import type { Command } from 'commander';
import { command, type Invocation, invocation } from '../command-line.js';
import { deleteConfig, type StoredConfig, type StoredSession, writeConfig } from '../configuration/config-file.js';
import { checkedUrl, isSentUnencrypted } from '../configuration/context.js';
import { deviceCookieOf, storeDeviceCookie } from '../configuration/device-file.js';
import { DashboardApi } from '../dashboard-api.js';
import { UsageError } from '../errors.js';

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

interface LoginOptions {
  readonly url?: string;
  readonly email?: string;
  readonly json?: boolean;
}

/** `postern login`: verifies a credential and stores it. */
export const login = (): Command =>
  command('login', 'Store a credential: an email key, a platform key, or a session of the dashboard', [
    'postern login --url https://postern.example.com      # asks for a key',
    'postern login --url https://postern.example.com --email ada@example.com      # asks for the password',
    'postern login --url "$POSTERN_URL" < key.txt         # in scripts: the key is standard input',
  ])
    .option('--url <url>', 'URL of your Postern installation; the stored one by default')
    .option('--email <address>', 'sign in to the dashboard as this user')
    .action(async (options: LoginOptions) => signIn(invocation(options), options));

const signIn = async ({ context, output, input }: Invocation, { url, email }: LoginOptions): Promise<void> => {
  try {
    const chosen = checkedUrl(
      url ?? context.environment['POSTERN_URL'] ?? context.stored.url ?? (await input.line('URL of your Postern')),
    );
    if (isSentUnencrypted(chosen))
      output.note(`Warning: ${chosen} is not encrypted, so others on the network can read the credential.`);
    const added =
      email === undefined
        ? await keyFrom(await input.secret('Email key or platform key'), chosen)
        : { session: await sessionOf(email, chosen, { context, output, input }) };
    // Credentials of another Postern are discarded, because they are not valid for this URL.
    const kept: StoredConfig = context.stored.url === chosen ? context.stored : {};
    writeConfig(context.path, { ...kept, url: chosen, ...added });
    const stored = Object.keys(added)[0] ?? '';
    output.result(
      { url: chosen, stored, path: context.path },
      `Stored the ${stored.replace('_', ' ')} for ${chosen} in ${context.path}`,
    );
  } finally {
    input.close();
  }
};

const keyFrom = async (entered: string, baseUrl: string): Promise<StoredConfig> => {
  const key = entered.trim();
  const postern = new Postern(key, { baseUrl, maxRetries: 0 });
  if (key.startsWith('ak_live_')) {
    await postern.platform.ownKey();
    return { platform_key: key };
  }
  if (!key.startsWith('em_live_'))
    throw new UsageError(
      'A key begins with em_live_ (email) or ak_live_ (platform). With --email you sign in with a password.',
    );
  try {
    await postern.emails.get(NIL_UUID);
  } catch (error) {
    // This error means that the key is accepted, because the message does not exist.
    if (!(error instanceof NotFoundError) || error.code !== 'email_not_found') throw error;
  }
  return { email_key: key };
};

const sessionOf = async (email: string, url: string, { context, input }: Invocation): Promise<StoredSession> => {
  const dashboard = new DashboardApi(url);
  const password = await input.secret(`Password of ${email}`);
  const device = { url, email };
  const signInWith = async (code?: string) => {
    const credentials = { email, password, ...(code === undefined ? {} : { code }) };
    const signedIn = await dashboard.signIn(credentials, deviceCookieOf(context.path, device));
    const { deviceCookie, ...session } = signedIn;
    if (deviceCookie !== undefined) storeDeviceCookie(context.path, device, deviceCookie);
    return session;
  };
  try {
    return { email, ...(await signInWith()) };
  } catch (error) {
    if (!(error instanceof AuthenticationError) || error.code !== 'second_factor_required') throw error;
    return { email, ...(await signInWith(await input.line('Code of your authenticator, or a recovery code'))) };
  }
};

/** `postern logout`: ends the session and deletes the stored credentials. */
export const logout = (): Command =>
  command('logout', 'End the session of the dashboard and delete the stored credentials', ['postern logout']).action(
    async (options: { json?: boolean }) => {
      const { context, output } = invocation(options);
      const { url, session } = context.stored;
      // An error is ignored: the session may already have ended.
      if (url && session) await new DashboardApi(url, session.token).delete('/session').catch(() => undefined);
      deleteConfig(context.path);
      output.result(
        { deleted: context.path },
        `Deleted ${context.path}. Keys stay valid until you revoke them in the dashboard.`,
      );
    },
  );

/** `postern whoami`: shows which credentials are available, without their values. */
export const whoami = (): Command =>
  command('whoami', 'Show the URL and which credentials the command has', [
    'postern whoami',
    'postern whoami --json',
  ]).action(async (options: { json?: boolean }) => {
    const { context, output } = invocation(options);
    const key = context.platformKey === undefined ? undefined : await context.platform().ownKey();
    const user =
      context.sessionToken === undefined ? undefined : await context.dashboard().get<{ email: string }>('/me');
    const shown = {
      url: context.url,
      email_key: context.emailKey === undefined ? null : `${context.emailKey.slice(0, 12)}…`,
      platform_key: key ? `${key.key_prefix}… (${key.name}, ${key.scope})` : null,
      session: user?.email ?? null,
    };
    const rows = Object.entries(shown).map(
      ([name, value]) => `${name.replace('_', ' ').padEnd(13)} ${value ?? 'none'}`,
    );
    output.result(shown, rows.join('\n'));
  });
