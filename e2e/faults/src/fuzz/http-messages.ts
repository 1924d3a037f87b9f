import { shortened } from './target.js';

/** A raw HTTP request in latin1; `body` is JSON, or octets whose content type is among the headers. */
export const request = (
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object | string,
): string => {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const all = {
    Host: '127.0.0.1',
    ...(typeof body === 'object' ? { 'Content-Type': 'application/json' } : {}),
    ...headers,
    Connection: 'close',
    ...(body === undefined ? {} : { 'Content-Length': String(text.length) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
};

/** The status of a response; 0 if there is none. */
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

export const httpProblemOf = (sent: string, answer: string): string | undefined =>
  statusOf(answer) >= 500 ? `${statusOf(answer)} for ${shortened(sent)}: ${shortened(answer)}` : undefined;
