import { connect } from 'node:net';
import { request } from 'undici';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The body as JSON. */
  readonly body: unknown;
}

/** Sends one request; a body that is not a string or buffer is sent as JSON. */
export const call = async (
  method: string,
  url: string,
  options: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<Answer> => {
  const { body, headers = {} } = options;
  const raw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const answer = await request(url, {
    method: method as 'GET',
    headers: raw === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(raw === undefined ? {} : { body: raw }),
  });
  const isEndless = String(answer.headers['content-type']).startsWith('text/event-stream');
  if (isEndless) answer.body.destroy();
  const text = isEndless ? '' : await answer.body.text();
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text,
    get body() {
      return JSON.parse(text) as unknown;
    },
  };
};

/** Sends raw bytes and returns everything received until the connection closes. */
export const sendRaw = (port: number, bytes: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.on('data', chunk => {
      received += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });

/** Status and JSON body of a raw response. */
export const parsed = (answer: string): { status: number; body: unknown } => {
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
};

/** The head of a request with a declared body, of which only one byte is included. */
export const announced = (line: string, bytes: number, headers: readonly string[] = []): string =>
  [
    `${line} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
    ...headers,
    '',
    '{',
  ].join('\r\n');

/** Sends raw bytes from a local address, and returns the first data received. Then closes the connection. */
export const firstAnswer = (port: number, bytes: string, localAddress = '127.0.0.1'): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(bytes));
    socket.once('data', answer => {
      socket.destroy();
      resolve(answer.toString('latin1'));
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(''));
  });
