import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const SILENT_MS = 1_500;
const TOTAL_MS = 5_000;
/** A loaded machine needs seconds for a greeting or a handshake. */
const HANDSHAKE_MS = 30_000;

/** Sends octets (latin1) to a local port. @returns the response, up to silence or the end. @throws if the port is closed. */
export const exchange = async (port: number, parts: readonly string[], silentMs = SILENT_MS): Promise<string> =>
  converse(await opened(port), parts, silentMs);

/** Like `exchange`, with an SMTP server after STARTTLS. */
export const exchangeOverTls = async (
  port: number,
  parts: readonly string[],
  silentMs = SILENT_MS,
): Promise<string> => {
  const socket = await opened(port);
  for (const command of ['EHLO client.fuzz.test\r\n', 'STARTTLS\r\n']) {
    await once(socket, 'data', { signal: AbortSignal.timeout(HANDSHAKE_MS) });
    socket.write(command);
  }
  await once(socket, 'data', { signal: AbortSignal.timeout(HANDSHAKE_MS) });
  const secured = connectTls({ socket, rejectUnauthorized: false });
  await once(secured, 'secureConnect', { signal: AbortSignal.timeout(HANDSHAKE_MS) });
  return converse(secured, parts, silentMs);
};

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

const converse = (socket: Socket, parts: readonly string[], silentMs: number): Promise<string> =>
  new Promise(resolve => {
    let received = '';
    const waiting = [...parts];
    const finish = () => {
      clearTimeout(limit);
      socket.destroy();
      resolve(received);
    };
    const limit = setTimeout(finish, TOTAL_MS);
    const sendNext = () => {
      const part = waiting.shift();
      if (part !== undefined && socket.writable) socket.write(Buffer.from(part, 'latin1'));
    };
    socket.setTimeout(silentMs, () => (waiting.length > 0 ? sendNext() : finish()));
    socket.on('data', data => {
      received += data.toString('latin1');
      if (waiting.length > 0) sendNext();
    });
    socket.on('close', finish);
    socket.on('error', finish);
    sendNext();
  });
