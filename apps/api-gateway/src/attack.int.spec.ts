import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  askCertificate,
  authenticateApiKey,
  authenticateSession,
  createSession,
  Refusal,
  sendEmail,
} from '@postern/contracts';
import { otherAddress, waitFor } from '@postern/testing';
import { type GatewayProcess, startGatewayProcess } from './testing/gateway-under-test.js';
import { announced, call, firstAnswer } from './testing/http.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const API_KEY = `em_live_${'a1B2'.repeat(10)}xyz`;
/** All loopback addresses are one client. */
const ATTACKER = otherAddress();
const MIB = 1024 * 1024;
const FLOOD_MS = 5_000;

const CREDENTIALS = JSON.stringify({ email: 'victim@example.com', password: 'x'.repeat(100) });
const SIGN_IN =
  'POST /dashboard/api/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
  `Content-Length: ${CREDENTIALS.length}\r\n\r\n${CREDENTIALS}`;

let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await startGatewayProcess();
  const refuse = (code: string) => () => {
    throw new Refusal(code, 'No.');
  };
  gateway.services.on(authenticateApiKey, ({ api_key_hash }) =>
    api_key_hash.startsWith('27817f34') ? { service_id: ID } : refuse('api_key_invalid')(),
  );
  gateway.services.on(authenticateSession, refuse('session_invalid'));
  gateway.services.on(askCertificate, () => ({ verified: false }));
  gateway.services.on(createSession, refuse('credentials_wrong'));
  gateway.services.on(sendEmail, ({ email }) => ({
    email: {
      id: ID,
      status: 'sent' as const,
      mode: 'sandbox' as const,
      from: email.from,
      to: email.to,
      message: 'Sent.',
    },
    rate_limit: { limit: 600, remaining: 599, reset_s: 60 },
    replayed: false,
  }));
}, 90_000);
afterAll(() => gateway.stop());

/** Sends from the attacker's address and waits for a response or the end of the connection. */
const attack = (request: string): Promise<string> => firstAnswer(gateway.port, request, ATTACKER).catch(() => '');

/** CPU time per call, in milliseconds. */
const cpuPerCall = async (calls: number, call: () => Promise<{ readonly status: number }>): Promise<number> => {
  const before = gateway.cpuMs();
  for (let n = 0; n < calls; n++) expect((await call()).status).toBe(200);
  return (gateway.cpuMs() - before) / calls;
};

const send = (headers: Record<string, string>) =>
  call('POST', `${gateway.url}/emails`, {
    headers,
    body: { from: 'a@b.c', to: ['d@e.f'], subject: 's', text: 't' },
  });

/** The gateway stops reading refused bodies of a client that sends many of them. */
const closedConnection = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error;
  return { status: 'closed' };
};

describe('one anonymous request', () => {
  const members = `{${Array.from({ length: 850_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
  const nested = '['.repeat(4_500_000) + ']'.repeat(4_500_000);

  it.each([
    ['850,000 members to sign-in', '/dashboard/api/session', members, {}],
    ['4,500,000 levels to sign-in', '/dashboard/api/session', nested, {}],
    ['850,000 members with an invented key', '/emails', members, { 'api-key': `em_live_${'A'.repeat(43)}` }],
    ['850,000 members to no route', '/nothing', members, {}],
  ])('with %s uses at most 100 ms of CPU time on average', async (_what, path, body, headers) => {
    const before = gateway.cpuMs();
    for (let n = 0; n < 5; n++) {
      const { status } = await call('POST', `${gateway.url}${path}`, { body, headers }).catch(closedConnection);
      expect([401, 404, 413, 'closed']).toContain(status);
    }
    expect((gateway.cpuMs() - before) / 5).toBeLessThan(100);
  });

  it('that ends before its body causes no error of the gateway', async () => {
    for (let n = 0; n < 20; n++) {
      const socket = connect(gateway.port, '127.0.0.1');
      await new Promise(resolve => socket.write(announced('POST /emails', 50_000, [`Api-Key: ${API_KEY}`]), resolve));
      await after(20);
      socket.destroy();
    }
    await send({ 'api-key': API_KEY });
    expect(gateway.logLines.filter(line => /"level":"?(?:error|warn|40|50)/.test(line))).toEqual([]);
  });
});

describe('an anonymous connection', () => {
  it('with 1,700 pipelined requests uses at most 10 ms of CPU time on average', async () => {
    const request = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_700);
    const until = (address: string) =>
      new Promise<void>(resolve => {
        const socket = connect({ port: gateway.port, host: '127.0.0.1', localAddress: address });
        socket.on('error', () => undefined).on('close', () => resolve());
        socket.resume().write(request);
      });
    const before = gateway.cpuMs();
    for (let n = 1; n <= 40; n++) await until(`127.0.1.${n}`);
    expect((gateway.cpuMs() - before) / 40).toBeLessThan(10);
  });
});

/** The allowed cost of a flood, as a rate of accepted messages: about a quarter of a CPU core. */
const FEW = 500;
/** That of requests of which an address may send ten times as many, 2,000 per second; each costs less than a message. */
const FREQUENT = 2_000;

describe('an anonymous client', () => {
  it('with 40 incomplete bodies uses no memory', async () => {
    const before = gateway.residentBytes();
    const sockets = Array.from({ length: 40 }, () => {
      const socket = connect({ port: gateway.port, host: '127.0.0.1', localAddress: ATTACKER });
      socket.on('error', () => undefined);
      socket.write(announced('POST /dashboard/api/session', 10 * MIB));
      socket.write(Buffer.alloc(4 * MIB, 32));
      return socket;
    });
    await Promise.all(
      sockets.map(socket => waitFor(() => socket.bytesRead > 0 || socket.destroyed, { timeoutMs: 50_000 })),
    );
    expect(gateway.residentBytes() - before).toBeLessThan(80 * MIB);
    for (const socket of sockets) socket.destroy();
  }, 60_000);

  it.each<[string, number, string]>([
    ['sign-ins', FEW, SIGN_IN],
    ['invented keys', FEW, announced('POST /emails', 10 * MIB, [`Api-Key: em_live_${'A'.repeat(43)}`])],
    ['invented sessions', FEW, 'GET /dashboard/api/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n\r\n'],
    ['unknown paths', FEW, 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['requests of a TLS proxy', FREQUENT, 'GET /tls/ask?domain=unknown.example.com HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['pipelined documents', FEW, 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500)],
  ])(
    'that floods with %s costs less than %d messages per second, and others are served',
    async (_what, limit, request) => {
      const perMessage = await cpuPerCall(200, () => send({ 'api-key': API_KEY }));
      const before = gateway.cpuMs();
      const begun = performance.now();
      const until = begun + FLOOD_MS;
      let messages = 0;
      const flood = Array.from({ length: 200 }, async () => {
        while (performance.now() < until) await attack(request);
      });
      for (; performance.now() < until; messages++) {
        expect((await send({ 'api-key': API_KEY })).status).toBe(200);
        await after(100);
      }
      await Promise.all(flood);
      const cpuMs = gateway.cpuMs() - before - messages * perMessage;
      const seconds = (performance.now() - begun) / 1_000;
      expect(cpuMs / perMessage / seconds).toBeLessThan(limit);
    },
  );
});
