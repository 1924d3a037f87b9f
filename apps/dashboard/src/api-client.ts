/** An error response of the dashboard API, or no response at all (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    /** Seconds to wait before a retry, when the API sends Retry-After. */
    readonly retryAfterS: number | null = null,
    /** The code of the refusal, when the API sends Error-Code. */
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

interface CallOptions {
  readonly body?: unknown;
  readonly query?: Query;
  readonly signal?: AbortSignal;
  /** Set when a 401 means a wrong password, not an expired session. */
  readonly checksPassword?: boolean;
}

/** Calls `/dashboard/api` on the page's own origin; the session is an HttpOnly cookie. */
export class ApiClient {
  /** Called when a response shows that the session has ended. */
  onSignedOut: () => void = () => {};
  /** The number of logins, because an answer to an earlier request does not apply to the current session. */
  private logins = 0;
  /** The keys of commands whose outcome is unknown: the user's next attempt of the same command has the same key. */
  private readonly unfinished = new Map<string, string>();

  constructor(private readonly fetchResponse: typeof fetch = (input, init) => fetch(input, init)) {}

  get<Reply>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Reply> {
    return this.call('GET', path, { query, ...(signal ? { signal } : {}) });
  }

  post<Reply>(path: string, body?: unknown, options: Pick<CallOptions, 'checksPassword'> = {}): Promise<Reply> {
    return this.call('POST', path, { ...options, body });
  }

  /** Signs in; the session is a cookie, which scripts cannot read. */
  async signIn(login: unknown): Promise<void> {
    await this.post('/session', login, { checksPassword: true });
    this.logins += 1;
  }

  put<Reply>(path: string, body: unknown): Promise<Reply> {
    return this.call('PUT', path, { body });
  }

  patch<Reply>(path: string, body: unknown): Promise<Reply> {
    return this.call('PATCH', path, { body });
  }

  delete<Reply = unknown>(path: string): Promise<Reply> {
    return this.call('DELETE', path, {});
  }

  private async call<Reply>(method: string, path: string, options: CallOptions): Promise<Reply> {
    const { logins } = this;
    const response = await (method === 'GET' ? this.send(method, path, options) : this.command(method, path, options));
    if (response.ok) return (await response.json()) as Reply;
    const error = await toApiError(response);
    if (error.status === 401 && !options.checksPassword && logins === this.logins) this.onSignedOut();
    throw error;
  }

  /** Sends a command with a key, under which the API carries it out once. */
  private async command(method: string, path: string, options: CallOptions): Promise<Response> {
    const command = JSON.stringify([this.logins, method, path, options.body ?? null]);
    const key = this.unfinished.get(command) ?? randomKey();
    if (this.unfinished.size < MOST_UNFINISHED) this.unfinished.set(command, key);
    const response = await this.send(method, path, options, { 'idempotency-key': key });
    if (isFinal(response)) this.unfinished.delete(command);
    return response;
  }

  private async send(
    method: string,
    path: string,
    { body, query = {}, signal }: CallOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    try {
      return await this.fetchResponse(`/dashboard/api${path}${queryString(query)}`, {
        method,
        ...(signal ? { signal } : {}),
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(0, 'Could not reach Postern. Check your connection and try again.');
    }
  }
}

const MOST_UNFINISHED = 100;
const IN_FLIGHT = 'idempotency_key_in_flight';

/** Whether another attempt would be another command. */
const isFinal = ({ status, headers }: Response): boolean =>
  status < 500 && status !== 429 && headers.get('error-code') !== IN_FLIGHT;

/** `crypto.randomUUID` exists only on pages with TLS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

/** Uses the API's message when there is one; a proxy may respond in another format. */
export const toApiError = async (response: Response): Promise<ApiError> => {
  const body: unknown = await response.json().catch(() => undefined);
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  const message =
    typeof error === 'string' && error !== '' ? error : `The server responded with status ${response.status}.`;
  const retryAfterS = Number(response.headers.get('retry-after') ?? Number.NaN);
  const code = response.headers.get('error-code');
  return new ApiError(response.status, message, Number.isFinite(retryAfterS) ? retryAfterS : null, code);
};

/** Omits empty values: the API accepts an absent filter, not an empty one. */
export const queryString = (query: Query): string => {
  const filled = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled.map(([name, value]) => [name, String(value)]))}`;
};

export const api = new ApiClient();
