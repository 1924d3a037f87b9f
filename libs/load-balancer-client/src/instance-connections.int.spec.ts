import { chown, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InstanceConnections } from './instance-connections.js';

const outcome = (connections: InstanceConnections, host: string, port: number): Promise<string> =>
  new Promise(resolve =>
    connections.open({ host, port }, 2_000, (error, socket) => {
      socket?.destroy();
      resolve(error ? (error.code ?? error.message) : 'connected');
    }),
  );

describe('connections to instances', () => {
  const server = createServer(socket => socket.destroy());
  let home: string;
  let port: number;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'postern-connections-'));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    server.close();
    await rm(home, { recursive: true, force: true });
  });

  it('are made directly where instances share the network of the machine', async () => {
    expect(await outcome(new InstanceConnections(home), '127.0.0.1', port)).toBe('connected');
  });

  it('fail with the code of the kernel, once', async () => {
    const closed = createServer();
    await new Promise<void>(resolve => closed.listen(0, '127.0.0.1', resolve));
    const { port: free } = closed.address() as AddressInfo;
    await new Promise(resolve => closed.close(resolve));
    expect(await outcome(new InstanceConnections(home), '127.0.0.1', free)).toBe('ECONNREFUSED');
  });

  it('of an ordinary user never leave the machine when the network of the instances has ended', async () => {
    const { getuid } = process;
    // The home has the owner of its sandboxes.
    if (getuid?.() === 0) await chown(home, 21_077, 21_077);
    process.getuid = () => 21_077;
    expect(await outcome(new InstanceConnections(home), '10.208.0.6', 10_000)).toBe(
      'the network of web services has ended',
    );
    process.getuid = getuid!;
  });
});
