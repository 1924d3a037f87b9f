import { setTimeout as pause } from 'node:timers/promises';

const DEFAULT_RETRY_AFTER_S = 2;

export interface ApiClientOptions {
  /** How long a request that was answered 429 is repeated, each time after what `Retry-After` says; 0 does not. */
  readonly retryForMs?: number;
}

/** A caller of one of the gateway's JSON surfaces, as a script of a user would be. */
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

  /** @throws with the gateway's own words where it refuses. */
  private async call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
    const { retryForMs = 0 } = this.options;
    const began = Date.now();
    for (;;) {
      const response = await this.send(method, path, body);
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as Reply;
      const waitMs = 1_000 * (Number(response.headers.get('retry-after')) || DEFAULT_RETRY_AFTER_S);
      // A request that was answered 429 did nothing, so that any of them may be repeated.
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
