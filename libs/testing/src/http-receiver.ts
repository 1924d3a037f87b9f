import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Arrivals } from './arrivals.js';

/** A received request; `body` contains the bytes that a signature covers. */
export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  receivedAt: number;
}

/** The response: a status after a delay, none (`hang`), or a closed connection (`drop`). */
export interface HttpAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  delayMs?: number;
  behaviour?: 'answer' | 'hang' | 'drop';
}

/** An HTTP server that records what it receives, for webhooks. */
export interface TestHttpReceiver {
  url: string;
  requests: ReceivedRequest[];
  /** Sets the response to all requests; a function decides by the request. */
  answerWith(answer: HttpAnswer | ((request: ReceivedRequest) => HttpAnswer)): void;
  /** Queues responses to the next requests, before the general response applies again. */
  answerNext(...answers: HttpAnswer[]): void;
  /** The first recorded request that matches and was not returned before. */
  nextRequest(fits?: (request: ReceivedRequest) => boolean, options?: { timeoutMs?: number }): Promise<ReceivedRequest>;
  stop(): Promise<void>;
}

/** Starts a receiver on a free loopback port; it responds with 200 by default. */
export async function startHttpReceiver(): Promise<TestHttpReceiver> {
  const requests = new Arrivals<ReceivedRequest>();
  const queued: HttpAnswer[] = [];
  let general: HttpAnswer | ((request: ReceivedRequest) => HttpAnswer) = {};

  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return;
    }
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: Buffer.concat(chunks), receivedAt: Date.now() };
    requests.add(request);
    const answer = queued.shift() ?? (typeof general === 'function' ? general(request) : general);
    if (answer.delayMs) setTimeout(() => reply(response, answer), answer.delayMs).unref();
    else reply(response, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests: requests.all,
    answerWith(answer) {
      general = answer;
    },
    answerNext(...answers) {
      queued.push(...answers);
    },
    nextRequest: (fits = () => true, options = {}) => requests.next(fits, { what: 'a request', ...options }),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function reply(response: ServerResponse, answer: HttpAnswer): void {
  if (answer.behaviour === 'hang' || response.destroyed) return;
  if (answer.behaviour === 'drop') {
    response.socket?.destroy();
    return;
  }
  response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '');
}
