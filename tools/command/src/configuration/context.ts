import { Postern } from '@postern/sdk';
import { type CallOptions, DashboardApi } from '../dashboard-api.js';
import { NotSignedInError, UsageError } from '../errors.js';
import { configPath, readConfig, type StoredConfig } from './config-file.js';

/** The credentials and clients of one invocation. Environment variables take precedence over the stored file. */
export class Context {
  readonly path: string;
  readonly stored: StoredConfig;

  constructor(readonly environment: Readonly<Record<string, string | undefined>>) {
    this.path = configPath(environment);
    this.stored = readConfig(this.path);
  }

  get emailKey(): string | undefined {
    return this.#variable('POSTERN_EMAIL_KEY') ?? this.#ofUrl(this.stored.email_key);
  }

  get platformKey(): string | undefined {
    return this.#variable('POSTERN_PLATFORM_KEY') ?? this.#ofUrl(this.stored.platform_key);
  }

  get sessionToken(): string | undefined {
    return this.#variable('POSTERN_SESSION_TOKEN') ?? this.#ofUrl(this.stored.session?.token);
  }

  /** The base URL of Postern. @throws NotSignedInError before the first login. */
  get url(): string {
    const url = this.#variable('POSTERN_URL') ?? this.stored.url;
    if (url === undefined) throw new NotSignedInError('Run `postern login` first, or set POSTERN_URL.');
    return checkedUrl(url);
  }

  /** A client for sending email. */
  email(): Postern {
    return new Postern(required(this.emailKey, EMAIL_KEY), { baseUrl: this.url });
  }

  /** A client of the platform API. */
  platform(): Postern['platform'] {
    return new Postern(this.requiredPlatformKey(), { baseUrl: this.url }).platform;
  }

  requiredPlatformKey(): string {
    return required(this.platformKey, PLATFORM_KEY);
  }

  /** A client of the dashboard API. */
  dashboard(): DashboardApi {
    return new DashboardApi(this.url, required(this.sessionToken, SESSION));
  }

  /** The operations of the email API that have no client. @throws NotSignedInError without an email key */
  emailApi(): DashboardApi {
    return new DashboardApi(this.url, this.#emailCredential, '');
  }

  /** The text of the answer to a call of any API, with the credential that its path asks for. @throws UsageError */
  call(method: string, path: string, options: CallOptions): Promise<string> {
    const [, api] =
      /^(\/(?:scheduled-)?emails|webhook-listeners|\/api\/v1|\/dashboard\/api)(?=[/?]|$)/.exec(path) ?? [];
    switch (api) {
      case '/emails':
      case '/scheduled-emails':
      case '/webhook-listeners':
        return this.#callWith(this.#emailCredential, method, path, options);
      case '/api/v1':
        return this.#callWith(required(this.platformKey, PLATFORM_KEY), method, path, options);
      case '/dashboard/api':
        return this.#callWith(required(this.sessionToken, SESSION), method, path, options);
      default:
        throw new UsageError(
          `${JSON.stringify(path)} is no path of an API: /emails…, /scheduled-emails…, /webhook-listeners…, /api/v1/… or /dashboard/api/…`,
        );
    }
  }

  get #emailCredential(): Readonly<Record<string, string>> {
    return { 'api-key': required(this.emailKey, EMAIL_KEY) };
  }

  #callWith(credential: string | Readonly<Record<string, string>>, method: string, path: string, options: CallOptions) {
    return new DashboardApi(this.url, credential, '').text(method, path, options);
  }

  #variable(name: string): string | undefined {
    return this.environment[name] || undefined;
  }

  /** A stored credential is only used with the stored URL, so that no other server receives it. */
  #ofUrl(credential: string | undefined): string | undefined {
    const url = this.#variable('POSTERN_URL');
    return url === undefined || checkedUrl(url) === this.stored.url ? credential : undefined;
  }
}

const EMAIL_KEY =
  'This needs an email key (em_live_…). Create one in the dashboard under API keys, and run `postern login`.';
const PLATFORM_KEY =
  'This needs a platform key (ak_live_…). Create one in the dashboard under Platform keys, and run `postern login`.';
const SESSION = 'This needs a session of the dashboard. Run `postern login --email <your address>`.';

const required = (credential: string | undefined, message: string): string => {
  if (credential === undefined) throw new NotSignedInError(message);
  return credential;
};

/** The origin of a URL. @throws UsageError if it is not an HTTP URL. */
export const checkedUrl = (url: string): string => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:')
    throw new UsageError(`${JSON.stringify(url)} must be an http(s) URL, such as https://postern.example.com`);
  if (parsed.username || parsed.password) throw new UsageError('The URL must not contain a user name or password.');
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '');
};

/** Whether a credential would be sent over the network without encryption. */
export const isSentUnencrypted = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
};
