import type { Call, CallOptions, CommandOptions, HttpClient } from '../http-client.js';

/** Sends calls of the platform API, below `/api/v1`. */
export class PlatformCaller {
  readonly #client: HttpClient;
  readonly #credentials: () => Record<string, string>;

  constructor(client: HttpClient, credentials: () => Record<string, string>) {
    this.#client = client;
    this.#credentials = credentials;
  }

  async get<Reply>(path: string, options: CallOptions & Pick<Call, 'query'> = {}): Promise<Reply> {
    return this.#send<Reply>({ method: 'GET', path, ...options });
  }

  async post<Reply>(
    path: string,
    options: CommandOptions & Pick<Call, 'body' | 'query' | 'archive' | 'timeoutMs'> = {},
  ): Promise<Reply> {
    return this.#send<Reply>({ method: 'POST', path, ...options });
  }

  async put<Reply>(path: string, body: unknown, options: CommandOptions = {}): Promise<Reply> {
    return this.#send<Reply>({ method: 'PUT', path, body, ...options });
  }

  async patch<Reply>(path: string, body: unknown, options: CommandOptions = {}): Promise<Reply> {
    return this.#send<Reply>({ method: 'PATCH', path, body, ...options });
  }

  async delete<Reply>(path: string, options: CommandOptions = {}): Promise<Reply> {
    return this.#send<Reply>({ method: 'DELETE', path, ...options });
  }

  /** The text of an endless answer, as it arrives. */
  stream(
    path: string,
    { idleMs, ...options }: CallOptions & Pick<Call, 'query' | 'headers'> & { idleMs: number },
  ): AsyncGenerator<string, void, undefined> {
    const call: Call = { method: 'GET', path: `/api/v1${path}`, ...options };
    return this.#client.stream(call, this.#credentials(), idleMs);
  }

  #send<Reply>(call: Call): Promise<Reply> {
    return this.#client.send<Reply>({ ...call, path: `/api/v1${call.path}` }, this.#credentials());
  }
}

/** A path with the ids in it encoded. */
export const pathOf = (strings: TemplateStringsArray, ...ids: readonly string[]): string =>
  strings.reduce((path, part, index) => `${path}${encodeURIComponent(ids[index - 1] ?? '')}${part}`);
