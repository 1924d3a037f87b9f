/**
 * The minimum work for a server under a flood: it answers every connection with 429, reads nothing, and closes it a second
 * later, as the gateway does with a client that exceeds its limits.
 */
import { type AddressInfo, createServer } from 'node:net';
import { handleCommands } from './worker.js';

const KEPT_MS = 1_000;
const REFUSAL = 'HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

const server = createServer({ pauseOnConnect: true }, socket => {
  socket.on('error', () => undefined);
  socket.write(REFUSAL);
  const timer = setTimeout(() => socket.destroy(), KEPT_MS);
  socket.on('close', () => clearTimeout(timer));
});
server.listen(0, '127.0.0.1', () => handleCommands({}, { port: (server.address() as AddressInfo).port }));
