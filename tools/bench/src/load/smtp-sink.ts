/**
 * An SMTP server that accepts everything and only counts. It uses little CPU, so that the senders are measured and not
 * the sink, and has the extensions of a good relay (PIPELINING, 8BITMIME, SMTPUTF8, SIZE, DSN).
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { handleCommands } from './worker.js';

const counters = { connections: 0, messages: 0, bytes: 0 };
const END = Buffer.from('\r\n.\r\n');
const EHLO = ['sink.test', 'PIPELINING', '8BITMIME', 'SMTPUTF8', 'SIZE 26214400', 'ENHANCEDSTATUSCODES', 'DSN'];
const EHLO_REPLY = EHLO.map((word, line) => `250${line === EHLO.length - 1 ? ' ' : '-'}${word}\r\n`).join('');

const serve = (socket: Socket): void => {
  counters.connections++;
  socket.setNoDelay(true);
  let pending: Buffer = Buffer.alloc(0);
  let inData = false;

  const command = (verb: string): string => {
    switch (verb) {
      case 'EHLO':
        return EHLO_REPLY;
      case 'DATA':
        inData = true;
        // The data can start with the final dot.
        pending = Buffer.concat([Buffer.from('\r\n'), pending]);
        return '354 go ahead\r\n';
      case 'QUIT':
        return '221 2.0.0 bye\r\n';
      default:
        return '250 2.0.0 ok\r\n';
    }
  };

  const takeText = (): string => {
    const end = pending.indexOf(END);
    if (end < 0) return '';
    counters.messages++;
    counters.bytes += end;
    pending = pending.subarray(end + END.length);
    inData = false;
    return '250 2.0.0 queued\r\n';
  };

  const takeLine = (): string => {
    const end = pending.indexOf('\r\n');
    if (end < 0) return '';
    const verb = pending.toString('latin1', 0, Math.min(end, 4)).toUpperCase();
    pending = pending.subarray(end + 2);
    return command(verb);
  };

  socket.on('data', chunk => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    let replies = '';
    for (let reply = inData ? takeText() : takeLine(); reply !== ''; reply = inData ? takeText() : takeLine())
      replies += reply;
    if (replies === '') return;
    socket.write(replies);
    if (replies.endsWith('221 2.0.0 bye\r\n')) socket.end();
  });
  socket.on('error', () => socket.destroy());
  socket.write('220 sink.test ESMTP\r\n');
};

const server = createServer(serve).listen(0, '127.0.0.1', () =>
  handleCommands({ counters: () => ({ ...counters }) }, { port: (server.address() as AddressInfo).port }),
);
