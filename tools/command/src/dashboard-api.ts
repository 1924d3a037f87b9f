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

/** A request of a client, as the log shows it. */
export interface LoggedRequest {
  readonly request_id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly duration_ms: number;
  readonly email_id: string | null;
  readonly body: string | null;
  readonly key: { readonly id: string; readonly name: string };
}

/** Who is told about deployments and failures. */
export interface NotificationTarget {
  readonly id: string;
  readonly kind: string;
  readonly url: string;
  readonly last_error: string | null;
  readonly last_delivered_at: string | null;
  /** Only in the reply to its creation. */
  readonly secret?: string | null;
}

/** What needs somebody in the workspace. */
export interface WorkspaceStatus {
  readonly ok: boolean;
  readonly summary: string;
  readonly problems: readonly {
    readonly severity: 'error' | 'warning';
    readonly message: string;
    readonly fix: string;
    readonly page: string;
    readonly since: string | null;
  }[];
  readonly unchecked: readonly string[];
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

/** Calls the dashboard API, for operations that require a session; with another base, operations that have no client. */
export class DashboardApi {
  readonly #baseUrl: string;
  readonly #credential: Readonly<Record<string, string>>;

  /** `credential`: a session token, or the header with a key. */
  constructor(url: string, credential: string | Readonly<Record<string, string>> = {}, base = '/dashboard/api') {
    this.#baseUrl = `${url}${base}`;
    this.#credential = typeof credential === 'string' ? { authorization: `Bearer ${credential}` } : credential;
  }

  get = <Reply>(path: string, options: CallOptions = {}): Promise<Reply> => this.#send('GET', path, options);
  post = <Reply>(path: string, body: unknown = {}): Promise<Reply> => this.#command('POST', path, { body });
  patch = <Reply>(path: string, body: unknown): Promise<Reply> => this.#command('PATCH', path, { body });
  delete = <Reply>(path: string): Promise<Reply> => this.#command('DELETE', path, {});

  /** The text of the answer to any call. */
  text = (method: string, path: string, options: CallOptions): Promise<string> =>
    method === 'GET' ? this.#send(method, path, options, {}, textIn) : this.#command(method, path, options, textIn);

  /** Repeats a command whose outcome is unknown with its key, under which Postern carries it out once. */
  async #command<Reply>(
    method: string,
    path: string,
    options: CallOptions,
    read: ReadReply<Reply> = replyIn<Reply>,
  ): Promise<Reply> {
    const headers = { 'idempotency-key': randomUUID() };
    for (const seconds of PAUSES_S) {
      try {
        return await this.#send(method, path, options, headers, read);
      } catch (error) {
        if (!isUnknownOutcome(error)) throw error;
        await pause(seconds * 1_000);
      }
    }
    return this.#send(method, path, options, headers, read);
  }

  /** Signs in with the cookie of an earlier sign-in. */
  async signIn(credentials: object, cookie: string | undefined): Promise<SignedIn> {
    const response = await this.#call('POST', '/session', { body: credentials, cookie });
    const session = await replyIn<Omit<SignedIn, 'deviceCookie'>>(response);
    const cookies = response.headers.getSetCookie().map(header => header.split(';', 1)[0]!);
    return { ...session, deviceCookie: cookies.find(one => DEVICE_COOKIE.test(one)) };
  }

  async #send<Reply>(
    method: string,
    path: string,
    options: CallOptions,
    headers: Readonly<Record<string, string>> = {},
    read: ReadReply<Reply> = replyIn<Reply>,
  ): Promise<Reply> {
    return read(await this.#call(method, path, options, headers));
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
        ...this.#credential,
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

type ReadReply<Reply> = (response: Response) => Promise<Reply>;

const textIn = async (response: Response): Promise<string> => {
  const text = await response.text();
  if (!response.ok) throw errorOf(response, text);
  return text;
};

const replyIn = async <Reply>(response: Response): Promise<Reply> => parsed(await textIn(response)) as Reply;

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

/** The platform API answers with `detail`, which is an object if it has a code; the other APIs answer with `error`. */
interface ErrorBody {
  readonly error?: string;
  readonly detail?: string | { readonly message?: string };
}

const errorOf = ({ status, headers }: Response, text: string): ApiError => {
  let message = `Postern answered with status ${status}.`;
  try {
    const { error, detail = error } = JSON.parse(text) as ErrorBody;
    message = (typeof detail === 'object' ? detail.message : detail) ?? message;
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
