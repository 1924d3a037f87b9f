import { type ApiError, apiError, ConnectionError, PosternError } from './errors.js';
import { pause } from './pause.js';
import { delayBeforeRetry, isRetryable, type RetryOptions } from './retries.js';

/** The part of `fetch` that this library uses. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string | Uint8Array<ArrayBuffer>;
    redirect: 'manual';
    signal: AbortSignal;
  },
) => Promise<FetchResponse>;

interface FetchResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  /** Needed only to follow logs. */
  readonly body?: ByteStream | null;
}

/** The part of a `ReadableStream` that this library uses. */
interface ByteStream {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(): Promise<unknown> };
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call, including its retries. */
  readonly signal?: AbortSignalLike | undefined;
}

/** Options of a call that changes something. */
export interface CommandOptions extends CallOptions {
  /**
   * Makes the call safe to repeat for 24 hours, also from another process; 1 to 255 characters. Without it, each call has
   * a new key, which makes the retries of this library safe.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The part of `AbortSignal` that this library needs. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** One call of the API. */
export interface Call extends CommandOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** A gzipped archive as the body, instead of JSON. */
  readonly archive?: Uint8Array<ArrayBuffer>;
  /** Time limit of one attempt, instead of that of the client. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ClientOptions extends RetryOptions {
  readonly baseUrl: string;
  /** Time limit of one attempt. */
  readonly timeoutMs: number;
  readonly fetch: Fetch;
}

const BUSY = 'idempotency_key_in_flight';

/** Sends calls, and repeats them as the API documentation says: on 429 and 5xx, with increasing delays. */
export class HttpClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, '') };
  }

  async send<Reply>(given: Call, credentials: Readonly<Record<string, string>>): Promise<Reply> {
    requireWholePath(given);
    const call = withKey(given);
    let lost = false;
    for (let retries = 0; ; retries++) {
      const outcome = await this.#attempt<Reply>(call, credentials);
      if ('reply' in outcome) return outcome.reply;
      const { error } = outcome;
      const waitMs = mayRepeat(error, lost)
        ? delayBeforeRetry(retries, 'status' in error ? error.retryAfterS : undefined, this.#options)
        : undefined;
      if (waitMs === undefined) throw error;
      lost ||= !('status' in error) || error.status >= 500;
      await pause(waitMs, call.signal);
    }
  }

  /**
   * Reads a response piece by piece, once. Ends when the server ends it.
   * @throws ConnectionError if nothing arrives for `idleMs`, or the connection is lost.
   */
  async *stream(
    call: Call,
    credentials: Readonly<Record<string, string>>,
    idleMs: number,
  ): AsyncGenerator<string, void, undefined> {
    requireWholePath(call);
    const { signal } = call;
    const controller = new AbortController();
    const cancel = () => controller.abort(signal?.reason);
    if (signal?.aborted) throw signal.reason;
    signal?.addEventListener('abort', cancel, { once: true });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waitAtMost = () => {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(new Error(`Nothing arrived for ${idleMs} ms`)), idleMs);
    };
    try {
      waitAtMost();
      const response = await this.#fetch(call, credentials, controller.signal);
      if (!response.ok) throw errorOf(response, await response.text());
      const reader = response.body?.getReader();
      if (!reader) throw new PosternError('The fetch function returns no body that can be read piece by piece.');
      const decoder = new TextDecoder();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        // While the caller works on the text, nothing is awaited.
        clearTimeout(timer);
        yield decoder.decode(value, { stream: true });
        waitAtMost();
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason ?? error;
      throw error instanceof PosternError ? error : lostConnection(call, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      controller.abort();
    }
  }

  async #attempt<Reply>(
    call: Call,
    credentials: Readonly<Record<string, string>>,
  ): Promise<{ readonly reply: Reply } | { readonly error: ApiError | ConnectionError }> {
    const { signal, timeoutMs = this.#options.timeoutMs } = call;
    const controller = new AbortController();
    const cancel = () => controller.abort(signal?.reason);
    if (signal?.aborted) throw signal.reason;
    signal?.addEventListener('abort', cancel, { once: true });
    const timer = setTimeout(() => controller.abort(new Error(`No response within ${timeoutMs} ms`)), timeoutMs);
    try {
      const response = await this.#fetch(call, credentials, controller.signal);
      const text = await response.text();
      return response.ok ? { reply: JSON.parse(text) as Reply } : { error: errorOf(response, text) };
    } catch (error) {
      if (signal?.aborted) throw signal.reason ?? error;
      return { error: lostConnection(call, error) };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }

  #fetch(
    { method, path, query, body, archive, headers }: Call,
    credentials: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<FetchResponse> {
    const { baseUrl, fetch } = this.#options;
    return fetch(`${baseUrl}${path}${queryString(query)}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(archive === undefined ? {} : { 'content-type': 'application/gzip' }),
        ...headers,
        ...credentials,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(archive === undefined ? {} : { body: archive }),
      // A redirect would carry the key to another address, or turn a POST into a GET.
      redirect: 'manual',
      signal,
    });
  }
}

/** An id that is empty or dots would make the call of another route, because `fetch` resolves them in the path. */
const requireWholePath = ({ path }: Call): void => {
  const isWhole = path.split('/').every((part, index) => index === 0 || !['', '.', '..'].includes(part));
  if (!isWhole) throw new PosternError(`An id is empty or consists of dots: ${path}`);
};

const lostConnection = ({ method, path }: Call, error: unknown): ConnectionError =>
  new ConnectionError(`${method} ${path} got no response: ${messageOf(error)}`, { cause: error });

/** Every call may be repeated: one that changes something has a key, under which it is carried out once. */
const withKey = (call: Call): Call =>
  call.method === 'GET'
    ? call
    : { ...call, headers: { 'idempotency-key': call.idempotencyKey ?? crypto.randomUUID(), ...call.headers } };

/** After a lost connection, the first attempt may still be in progress under the same idempotency key. */
const mayRepeat = (error: ApiError | ConnectionError, lost: boolean): boolean => {
  if (!('status' in error)) return true;
  if (error.status === 409) return lost && (error.code === BUSY || error.retryAfterS !== undefined);
  return isRetryable(error.status);
};

const errorOf = ({ status, headers }: FetchResponse, text: string): ApiError => {
  const { message, code } = readBody(text);
  const retryAfter = headers.get('retry-after');
  return apiError({
    status,
    code: headers.get('error-code') ?? code,
    message: message ?? `Postern answered with status ${status}.`,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterS: retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined,
    emailId: headers.get('email-id') ?? undefined,
  });
};

/** The email API answers with `error`; the platform API with `detail`, which may be an object with a code. */
const readBody = (text: string): { message?: string; code?: string } => {
  let body: { error?: unknown; detail?: unknown };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return {};
  }
  const error = body?.error ?? body?.detail;
  if (typeof error === 'string') return { message: error };
  if (typeof error !== 'object' || error === null) return {};
  const { code, message, required } = error as Record<string, unknown>;
  return {
    ...(typeof code === 'string' ? { code } : {}),
    message: typeof message === 'string' ? message : `The call is not allowed: ${code}, required: ${required}.`,
  };
};

const queryString = (query: Call['query'] = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
