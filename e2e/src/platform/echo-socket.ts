/** Body of a server that says short WebSocket texts back after its version (RFC 6455, one frame at a time). */
export const echoSocketApp = (version: string): string => `
  import { createHash } from 'node:crypto';
  import { createServer } from 'node:http';
  const server = createServer((request, response) => response.end('${version}'));
  server.on('upgrade', ({ headers }, socket) => {
    const key = headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n' +
      'Sec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
    socket.on('error', () => {});
    socket.on('data', frame => {
      if ((frame[0] & 15) !== 1) return socket.end();
      const mask = frame.subarray(2, 6);
      const text = Buffer.from(frame.subarray(6).map((byte, index) => byte ^ mask[index % 4])).toString();
      const answer = Buffer.from('${version}: ' + text);
      socket.write(Buffer.concat([Buffer.from([0x81, answer.length]), answer]));
    });
  });
  server.listen(process.env.PORT);
  process.on('SIGTERM', () => server.close());
`;

/** A WebSocket client that asks one thing after the other. */
export class EchoSocket {
  readonly closed: Promise<void>;

  private constructor(private readonly socket: WebSocket) {
    this.closed = new Promise(resolve => socket.addEventListener('close', () => resolve()));
  }

  static connect(url: string): Promise<EchoSocket> {
    const socket = new WebSocket(url.replace('http:', 'ws:'));
    const client = new EchoSocket(socket);
    return new Promise((resolve, reject) => {
      socket.addEventListener('open', () => resolve(client));
      socket.addEventListener('error', () => reject(new Error('the WebSocket was refused')));
    });
  }

  ask(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true });
      void this.closed.then(() => reject(new Error('the WebSocket is closed')));
      this.socket.send(text);
    });
  }

  close(): void {
    this.socket.close();
  }
}
