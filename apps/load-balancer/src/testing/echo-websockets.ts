import { createHash } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Makes a server accept WebSockets (RFC 6455) and echo every short text with a prefix. */
export const echoWebSockets = (server: Server, word: string): void => {
  server.on('upgrade', (request, duplex, head) => {
    const socket = duplex as Socket;
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
    socket.on('error', () => undefined);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    let unread: Buffer = head;
    const take = (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      for (let frame = firstFrame(unread); frame; frame = firstFrame(unread)) {
        unread = unread.subarray(frame.bytes);
        if (frame.opcode === 1) socket.write(textFrame(`${word}: ${frame.text}`));
        if (frame.opcode === 8) socket.end(Buffer.from([0x88, 0]));
      }
    };
    take(Buffer.alloc(0));
    socket.on('data', take);
  });
};

const firstFrame = (bytes: Buffer): { opcode: number; text: string; bytes: number } | undefined => {
  const length = (bytes[1] ?? 0) & 0x7f;
  if (bytes.length < 6 + length) return undefined;
  const mask = bytes.subarray(2, 6);
  const text = Buffer.from(bytes.subarray(6, 6 + length).map((byte, index) => byte ^ mask[index % 4]!));
  return { opcode: bytes[0]! & 0x0f, text: text.toString('utf8'), bytes: 6 + length };
};

const textFrame = (text: string): Buffer => {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, payload.length]), payload]);
};

/** A WebSocket client that sends one message at a time and awaits the reply. */
export class EchoClient {
  readonly #socket: WebSocket;
  /** Resolves with the code of the close frame; 1006 if there is none. */
  readonly closed: Promise<number>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise(resolve => socket.addEventListener('close', ({ code }) => resolve(code)));
  }

  static async connect(url: string): Promise<EchoClient> {
    const socket = new WebSocket(url.replace('http:', 'ws:'));
    const client = new EchoClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error('the WebSocket was refused')));
    });
    return client;
  }

  echo(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true });
      void this.closed.then(() => reject(new Error('the WebSocket is closed')));
      this.#socket.send(text);
    });
  }

  close(): void {
    this.#socket.close();
  }
}
