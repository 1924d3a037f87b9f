import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { isOpen, listeningSockets } from './listening-ports.js';

it.each(['127.0.0.1', '::1', '::'])('finds a socket that listens on %s, and notices when it is closed', async host => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socketOf = async () => (await listeningSockets([process.pid])).find(socket => socket.port === port);
  const socket = await socketOf();
  expect(socket).toMatchObject({ pid: process.pid, port });
  expect(await isOpen(socket!)).toBe(true);
  server.close();
  await once(server, 'close');
  expect(await isOpen(socket!)).toBe(false);
  const next = createServer().listen(port, host);
  await once(next, 'listening');
  expect(await isOpen(socket!)).toBe(false);
  expect((await socketOf())?.target).not.toBe(socket!.target);
  next.close();
});
