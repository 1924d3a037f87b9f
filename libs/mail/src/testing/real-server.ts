import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { SMTPServer } from 'smtp-server';

/** An independent SMTP server, and the messages that it received. */
export interface RealServer {
  readonly port: number;
  readonly received: readonly string[];
  readonly stop: () => Promise<void>;
}

/** smtp-server with its built-in self-signed certificate. */
export async function startServer(secure: boolean): Promise<RealServer> {
  const received: string[] = [];
  // It warns about the built-in certificate, which the tests need.
  const warning = jest.spyOn(console, 'error').mockImplementation(() => {});
  const server = new SMTPServer({
    secure,
    hideDSN: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(null, { user: 'u' }),
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push(Buffer.concat(chunks).toString());
        done();
      });
    },
  });
  warning.mockRestore();
  server.on('error', () => {});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()));
  const stop = () => new Promise<void>(resolve => server.close(() => resolve()));
  return { port: (server.server.address() as AddressInfo).port, received, stop };
}
