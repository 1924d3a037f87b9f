import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from '@jest/globals';
import { carryOut, type Language } from './languages.js';

/** What the server answers to one request. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Closes the connection instead. */
  readonly closes?: boolean;
  /** Never answers. */
  readonly hangs?: boolean;
}
/** What it received. */
export interface Received {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}
/** What the server answers to the requests of one test, and what it received, by the first part of the path. */
const scripts = new Map<string, { answers: Answer[]; received: Received[] }>();
const server = createServer(async (request, response) => {
  const [, name = '', ...rest] = (request.url ?? '').split('/');
  const script = scripts.get(name);
  const body = await text(request);
  script?.received.push({
    line: `${request.method} /${rest.join('/')}`,
    headers: request.headers,
    body,
    at: performance.now(),
  });
  const answer = script?.answers.shift() ?? { status: 500, body: { error: 'There is no answer left.' } };
  if (answer.closes) request.socket.destroy();
  else if (!answer.hangs) {
    const sent = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(sent);
  }
});
export let origin: string;

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let scripted = 0;
/** Carries out a call against a server with these answers. */
export const against = async (
  language: Language,
  answers: readonly Answer[],
  call: Readonly<Record<string, unknown>>,
) => {
  const name = `script-${scripted++}`;
  const script = { answers: [...answers], received: [] as Received[] };
  scripts.set(name, script);
  const outcome = await carryOut(language, { url: `${origin}/${name}/`, ...call });
  return { outcome, received: script.received };
};
