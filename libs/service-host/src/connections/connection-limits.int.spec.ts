import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { ConnectionLimits } from './connection-limits.js';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const MIB = 1024 * 1024;

let server: Server;
let client: Socket;
let accepted: Socket | undefined;
let isBlocked: boolean;
let dropped: number;

beforeEach(async () => {
  isBlocked = true;
  dropped = 0;
  accepted = undefined;
  server = createServer((_request, response) => response.end('served'));
  new ConnectionLimits({
    total: 10,
    perAddress: 10,
    blocking: {
      isBlocked: () => isBlocked,
      isClientKnown: () => false,
      isKnown: () => false,
      onDropped: () => dropped++,
    },
  }).apply(server);
  server.prependListener('connection', socket => {
    accepted = socket;
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
});
afterEach(() => {
  client.destroy();
  server.close();
});

describe('a connection of a blocked client', () => {
  it('is closed without being read', async () => {
    client.resume().write(Buffer.alloc(MIB, 32));
    await waitFor(() => accepted?.destroyed === true);
    expect(accepted?.bytesRead).toBe(0);
  });

  it('counts against the limit, so that a client that continues stays blocked', async () => {
    await waitFor(() => dropped > 0);
    expect(dropped).toBe(1);
  });
});

describe('a connection of another client', () => {
  it('is read, also for consecutive requests', async () => {
    isBlocked = false;
    let received = '';
    client.on('data', data => {
      received += data.toString('latin1');
    });
    for (const count of [1, 2]) {
      client.write(GET);
      await waitFor(() => received.split('served').length === count + 1);
    }
  });
});
