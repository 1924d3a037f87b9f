/** A caller of one of the gateway's JSON surfaces, as a script of a user would be. */
export class ApiClient {
  constructor(
    private readonly surface: string,
    protected token = '',
  ) {}

  get = <Reply>(path: string): Promise<Reply> => this.call<Reply>('GET', path);
  post = <Reply>(path: string, body?: unknown): Promise<Reply> => this.call<Reply>('POST', path, body);
  put = <Reply>(path: string, body: unknown): Promise<Reply> => this.call<Reply>('PUT', path, body);
  delete = <Reply>(path: string): Promise<Reply> => this.call<Reply>('DELETE', path);
  patch = <Reply>(path: string, body: unknown): Promise<Reply> => this.call<Reply>('PATCH', path, body);

  /** @throws with the gateway's own words where it refuses. */
  private async call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await fetch(`${this.surface}${path}`, {
      method,
      headers: {
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Reply;
  }
}
