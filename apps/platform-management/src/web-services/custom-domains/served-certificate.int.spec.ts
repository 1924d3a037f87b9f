import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createCertificates, freePort } from '@postern/testing';
import { servedCertificate } from './served-certificate.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const listening = async (server: Server): Promise<string> => {
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const proxyFor = (name: string): Promise<string> => {
  const { cert, key } = createCertificates(`DNS:${name}`).server;
  return listening(createServer({ cert: readFileSync(cert), key: readFileSync(key) }));
};

describe('The certificate that a TLS proxy serves', () => {
  it('is that of the domain, with its period', async () => {
    const { from, until } = await servedCertificate(await proxyFor('shop.example.com'), 'shop.example.com');
    expect(until.getTime() - from.getTime()).toBe(2 * 86_400_000);
    expect(until.getTime()).toBeGreaterThan(Date.now());
  });

  it('is refused if it is of another name', async () => {
    const served = servedCertificate(await proxyFor('other.example.com'), 'shop.example.com');
    await expect(served).rejects.toThrow('the TLS proxy served that of another name');
  });

  it('is absent if the proxy ends the handshake, speaks no TLS, or is away', async () => {
    const ends = await listening(createTcpServer(socket => socket.destroy()));
    const speaks = await listening(createTcpServer(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    for (const proxy of [ends, speaks, `127.0.0.1:${await freePort()}`])
      await expect(servedCertificate(proxy, 'shop.example.com')).rejects.toThrow(/^the TLS proxy served none \(/);
  });
});
