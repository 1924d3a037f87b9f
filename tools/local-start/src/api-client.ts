import { setTimeout as pause } from 'node:timers/promises';

const DEFAULT_RETRY_AFTER_S = 2;

export interface ApiClientOptions {
  /** How long a request that gets 429 is retried, each time after `Retry-After`; 0 disables retries. */
  readonly retryForMs?: number;
}

/** A client of one of the gateway's JSON APIs, as a user's script would be. */
export class ApiClient {
  constructor(
    private readonly surface: string,
    protected token = '',
    private readonly options: ApiClientOptions = {},
  ) {}

  get = <Reply>(path: string): Promise<Reply> => this.call<Reply>('GET', path);
  post = <Reply>(path: string, body?: unknown): Promise<Reply> => this.call<Reply>('POST', path, body);
  put = <Reply>(path: string, body: unknown): Promise<Reply> => this.call<Reply>('PUT', path, body);
  delete = <Reply>(path: string): Promise<Reply> => this.call<Reply>('DELETE', path);
  patch = <Reply>(path: string, body: unknown): Promise<Reply> => this.call<Reply>('PATCH', path, body);

  /** @throws with the response text if the gateway refuses the request. */
  private async call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
    const { retryForMs = 0 } = this.options;
    const began = Date.now();
    for (;;) {
      const response = await this.send(method, path, body);
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as Reply;
      const waitMs = 1_000 * (Number(response.headers.get('retry-after')) || DEFAULT_RETRY_AFTER_S);
      // A request that got 429 had no effect, so it is safe to repeat, whatever its method.
      if (response.status !== 429 || Date.now() - began + waitMs > retryForMs)
        throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      await pause(waitMs);
    }
  }

  private send(method: string, path: string, body: unknown): Promise<Response> {
    return fetch(`${this.surface}${path}`, {
      method,
      headers: {
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  }
}
