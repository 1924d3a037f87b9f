import type { Socket } from 'node:net';
import { codeOfStatus } from '../errors/error-code.js';
import { errorShape } from '../errors/error-shape.js';

type ClientError = Error & { readonly code?: string; readonly rawPacket?: unknown };

const REASONS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};
const MALFORMED = ['400 Bad Request', 'The request is not valid HTTP.'] as const;

/** Responds directly on the socket if the HTTP parser rejects a request or the request arrives too slowly. */
export const respondMalformed = (error: ClientError, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable || responseStarted(socket)) {
    socket.destroy(error);
    return;
  }
  const [status, message] = REASONS[error.code ?? ''] ?? MALFORMED;
  const body = JSON.stringify(errorShape(targetOf(error.rawPacket), message));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Error-Code: ${codeOfStatus(Number.parseInt(status, 10))}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
};

/** Writing during a response would corrupt it; Node.js stores the response in an untyped field of the socket. */
const responseStarted = (socket: Socket): boolean => {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return typeof answer === 'object' && answer !== null && Reflect.get(answer, '_headerSent') === true;
};

const targetOf = (packet: unknown): string =>
  Buffer.isBuffer(packet)
    ? (/^[A-Z]+ (\/[^ \r\n]*)/.exec(packet.subarray(0, 2_048).toString('latin1'))?.[1] ?? '/')
    : '/';
