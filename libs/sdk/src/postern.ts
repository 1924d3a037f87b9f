import { Emails } from './emails.js';
import { PosternError } from './errors.js';
import { type Fetch, HttpClient } from './http-client.js';
import { Platform } from './platform/platform.js';
import { DEFAULT_RETRIES, type RetryOptions } from './retries.js';
import { ScheduledEmails } from './scheduled-emails.js';
import { webhooks } from './webhooks/verify.js';

export interface PosternOptions extends Partial<RetryOptions> {
  /** The URL of your Postern: `https://postern.example.com`. */
  readonly baseUrl: string;
  /** A key of the platform API (`ak_live_…`), for a client that also sends email. */
  readonly platformKey?: string;
  /** Time limit of one attempt in milliseconds; 60,000 by default. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
}

/**
 * A client of one Postern. `apiKey` is the key of an email service (`em_live_…`) for `emails` and `scheduledEmails`, or a platform key
 * (`ak_live_…`) for `platform`.
 */
export class Postern {
  readonly emails: Emails;
  readonly scheduledEmails: ScheduledEmails;
  readonly platform: Platform;
  /** Verifies the calls of webhooks; needs no key. */
  readonly webhooks = webhooks;

  constructor(apiKey: string, options: PosternOptions) {
    if (typeof apiKey !== 'string' || apiKey === '')
      throw new PosternError(
        'The key is missing: new Postern(key, { baseUrl }). Is the environment variable set, such as POSTERN_EMAIL_KEY?',
      );
    if (!options?.baseUrl) throw new PosternError('Set baseUrl to the URL of your Postern installation.');
    if (!/^https?:\/\/[^\s/]/i.test(options.baseUrl))
      throw new PosternError(
        `baseUrl must be a URL such as https://postern.example.com, not ${JSON.stringify(options.baseUrl)}.`,
      );
    const client = new HttpClient({
      ...DEFAULT_RETRIES,
      timeoutMs: 60_000,
      fetch: (url, init) => globalThis.fetch(url, init),
      ...options,
    });
    const isPlatformKey = apiKey.startsWith('ak_live_');
    const platformKey = options.platformKey ?? (isPlatformKey ? apiKey : undefined);
    const emailCredentials = () => {
      if (!isPlatformKey) return { 'api-key': apiKey };
      throw new PosternError('Sending email needs the key of an email service (em_live_…), not a platform key.');
    };
    this.emails = new Emails(client, emailCredentials);
    this.scheduledEmails = new ScheduledEmails(client, emailCredentials);
    this.platform = new Platform(client, () => {
      if (platformKey !== undefined) return { authorization: `Bearer ${platformKey}` };
      throw new PosternError('The platform API needs a platform key (ak_live_…). Create one in the dashboard.');
    });
  }
}
