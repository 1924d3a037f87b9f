import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The id of every comment. */
const COMMENT = 42;

interface Received {
  readonly call: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Record<string, unknown>;
}

/** An HTTP server with the shapes of the APIs of Git hosts. */
export class GitHostServer {
  readonly received: Received[] = [];
  /** The next answers; without one, everything is accepted. */
  readonly answers: { readonly status: number; readonly body: string }[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
        this.received.push({ call: `${request.method} ${request.url}`, headers: request.headers, body });
        const isComment = request.url?.includes('/comments') ?? false;
        const accepted = request.method === 'POST' ? 201 : 200;
        const answer = { status: accepted, body: JSON.stringify({ id: isComment ? COMMENT : 1 }) };
        const { status, body: text } = this.answers.shift() ?? answer;
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      });
    });
  }

  static async start(): Promise<GitHostServer> {
    const server = new GitHostServer();
    await new Promise<void>(resolve => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get calls(): readonly string[] {
    return this.received.map(({ call }) => call);
  }

  stop(): Promise<void> {
    return new Promise(resolve => this.#server.close(() => resolve()));
  }
}
