import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, AuthenticationError, ConnectionError, NotFoundError } from '@postern/sdk';

const TIMEOUT_MS = 30_000;
/** The pauses before a command is repeated. */
const PAUSES_S = [1, 2, 4, 8];
const UNKNOWN: ReadonlySet<string | undefined> = new Set(['outcome_unknown', 'idempotency_key_in_flight']);

export interface EmailService {
  readonly id: string;
  readonly name: string;
  readonly mode: string;
  readonly enabled: boolean;
}

export interface Recipient {
  readonly address: string;
  readonly role: string;
  readonly state: string;
  readonly reason: string | null;
}

export interface Message {
  readonly id: string;
  readonly status: string;
  readonly mode: string;
  readonly from: string;
  readonly subject: string;
  readonly recipients: readonly Recipient[];
  readonly accepted_at: string;
}

export interface MessageWithTimeline extends Message {
  readonly timeline: readonly {
    readonly at: string;
    readonly kind: string;
    readonly recipient: string | null;
    readonly detail: string;
  }[];
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** There are more items than `total`. */
  readonly total_capped?: true;
  readonly limit: number;
  readonly offset: number;
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly cookie?: string | undefined;
}

/** A new session, and the cookie that marks this machine as a known device of the user. */
export interface SignedIn {
  readonly token: string;
  readonly expires_at: string;
  readonly deviceCookie: string | undefined;
}

/** Calls the dashboard API, for operations that require a session. */
export class DashboardApi {
  readonly #baseUrl: string;
  readonly #token: string | undefined;

  constructor(url: string, token?: string) {
    this.#baseUrl = `${url}/dashboard/api`;
    this.#token = token;
  }

  get = <Reply>(path: string, options: CallOptions = {}): Promise<Reply> => this.#send('GET', path, options);
  post = <Reply>(path: string, body: unknown = {}): Promise<Reply> => this.#command('POST', path, { body });
  patch = <Reply>(path: string, body: unknown): Promise<Reply> => this.#command('PATCH', path, { body });
  delete = <Reply>(path: string): Promise<Reply> => this.#command('DELETE', path, {});

  /** Repeats a command whose outcome is unknown with its key, under which Postern carries it out once. */
  async #command<Reply>(method: string, path: string, options: CallOptions): Promise<Reply> {
    const headers = { 'idempotency-key': randomUUID() };
    for (const seconds of PAUSES_S) {
      try {
        return await this.#send<Reply>(method, path, options, headers);
      } catch (error) {
        if (!isUnknownOutcome(error)) throw error;
        await pause(seconds * 1_000);
      }
    }
    return this.#send(method, path, options, headers);
  }

  /** Signs in with the cookie of an earlier sign-in. */
  async signIn(credentials: object, cookie: string | undefined): Promise<SignedIn> {
    const response = await this.#call('POST', '/session', { body: credentials, cookie });
    const session = (await replyIn(response)) as Omit<SignedIn, 'deviceCookie'>;
    const cookies = response.headers.getSetCookie().map(header => header.split(';', 1)[0]!);
    return { ...session, deviceCookie: cookies.find(one => DEVICE_COOKIE.test(one)) };
  }

  async #send<Reply>(
    method: string,
    path: string,
    options: CallOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    return (await replyIn(await this.#call(method, path, options, headers))) as Reply;
  }

  async #call(
    method: string,
    path: string,
    { query = {}, body, signal, cookie }: CallOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const url = new URL(this.#baseUrl + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    return fetch(url, {
      method,
      redirect: 'error',
      headers: {
        accept: 'application/json',
        'user-agent': 'postern-command',
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(cookie === undefined ? {} : { cookie }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    }).catch((error: unknown) => {
      if (signal?.aborted) throw signal.reason;
      throw new ConnectionError(`${this.#baseUrl} does not respond: ${reasonOf(error)}. Check the URL.`, {
        cause: error,
      });
    });
  }
}

const isUnknownOutcome = (error: unknown): boolean => error instanceof ApiError && UNKNOWN.has(error.code);
const DEVICE_COOKIE = /^(?:__Host-)?postern_device=[^\s;]+$/;

const replyIn = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  if (!response.ok) throw errorOf(response, text);
  return parsed(text);
};

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error & { cause?: Error };
  return cause?.message || message;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConnectionError('The response is not JSON. Check that the URL is that of your Postern installation.');
  }
};

const errorOf = ({ status, headers }: Response, text: string): ApiError => {
  let message = `Postern answered with status ${status}.`;
  try {
    message = String((JSON.parse(text) as { error?: string }).error ?? message);
  } catch {
    // Not a response of Postern; the status is sufficient.
  }
  const retryAfter = headers.get('retry-after');
  const ErrorClass = status === 401 ? AuthenticationError : status === 404 ? NotFoundError : ApiError;
  return new ErrorClass({
    status,
    message,
    code: headers.get('error-code') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterS: retryAfter === null ? undefined : Number(retryAfter),
    emailId: undefined,
  });
};
