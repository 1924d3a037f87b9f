/** An answer of the dashboard API that is not a success, or no answer at all (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    /** Seconds after which another try makes sense, where the API says so. */
    readonly retryAfterS: number | null = null,
  ) {
    super(message);
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

interface CallOptions {
  readonly body?: unknown;
  readonly query?: Query;
  readonly signal?: AbortSignal;
  /** Set where 401 speaks of a password that was typed, not of the session. */
  readonly judgesPassword?: boolean;
}

/** Speaks to `/dashboard/api` of the origin that the page came from; the session travels as an HttpOnly cookie. */
export class ApiClient {
  /** Called whenever an answer says that nobody is signed in any more. */
  onSignedOut: () => void = () => {};

  constructor(private readonly fetchAnswer: typeof fetch = (input, init) => fetch(input, init)) {}

  get<Reply>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Reply> {
    return this.call('GET', path, { query, ...(signal ? { signal } : {}) });
  }

  post<Reply>(path: string, body?: unknown, options: Pick<CallOptions, 'judgesPassword'> = {}): Promise<Reply> {
    return this.call('POST', path, { ...options, body });
  }

  put<Reply>(path: string, body: unknown): Promise<Reply> {
    return this.call('PUT', path, { body });
  }

  patch<Reply>(path: string, body: unknown): Promise<Reply> {
    return this.call('PATCH', path, { body });
  }

  delete(path: string): Promise<unknown> {
    return this.call('DELETE', path, {});
  }

  private async call<Reply>(method: string, path: string, options: CallOptions): Promise<Reply> {
    const answer = await this.answerTo(method, path, options);
    if (answer.ok) return (await answer.json()) as Reply;
    const error = await errorOf(answer);
    if (error.status === 401 && !options.judgesPassword) this.onSignedOut();
    throw error;
  }

  private async answerTo(method: string, path: string, { body, query = {}, signal }: CallOptions): Promise<Response> {
    try {
      return await this.fetchAnswer(`/dashboard/api${path}${queryString(query)}`, {
        method,
        ...(signal ? { signal } : {}),
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(0, 'Postern cannot be reached. Check your connection and try again.');
    }
  }
}

/** The words of the API where it has any; a proxy in between may answer in a form of its own. */
export const errorOf = async (answer: Response): Promise<ApiError> => {
  const body: unknown = await answer.json().catch(() => undefined);
  const said = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  const message = typeof said === 'string' && said !== '' ? said : `The server answered with status ${answer.status}.`;
  const retryAfterS = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(answer.status, message, Number.isFinite(retryAfterS) ? retryAfterS : null);
};

/** Empty values are left out: the API takes an absent filter, not an empty one. */
export const queryString = (query: Query): string => {
  const filled = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled.map(([name, value]) => [name, String(value)]))}`;
};

export const api = new ApiClient();
