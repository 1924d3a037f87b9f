import { connect } from 'node:net';

const SILENT_MS = 1_500;
const TOTAL_MS = 5_000;

/** Sends octets (latin1) to a port of this machine. @returns what came back until silence or the end. @throws if nobody listens. */
export const exchange = (port: number, parts: readonly string[], silentMs = SILENT_MS): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = '';
    const waiting = [...parts];
    const socket = connect(port, '127.0.0.1');
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
    socket.on('connect', sendNext);
    socket.on('data', data => {
      received += data.toString('latin1');
      if (waiting.length > 0) sendNext();
    });
    socket.on('close', finish);
    socket.on('error', error => {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') reject(error);
      else finish();
    });
  });
