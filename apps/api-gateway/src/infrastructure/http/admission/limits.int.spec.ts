import { hash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticateApiKey, authenticateSession, KIB, MIB, Refusal } from '@postern/contracts';
import { otherAddress, waitFor } from '@postern/testing';
import { type GatewayUnderTest, startGateway } from '../../../testing/gateway-under-test.js';
import { announced, call, firstAnswer } from '../../../testing/http.js';
import { admitAll, KEY as PLATFORM_KEY } from '../../../testing/platform-call.js';

/** The source address of a second client; all loopback addresses are one. */
const OTHER = otherAddress();

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const API_KEY = `em_live_${'a1B2'.repeat(10)}xyz`;
/** The size of one read of Node.js. */
const ONE_READ = 64 * KIB;

let gateway: GatewayUnderTest;
let sockets: Socket[];

beforeEach(() => {
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.stop();
});

const start = async (environment: Record<string, string>) => {
  gateway = await startGateway(environment);
  admitAll(gateway.services);
  gateway.services.on(authenticateApiKey, () => ({ service_id: ID }));
};

/** Opens a connection that is closed at the end of the test. */
const open = (localAddress: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', localAddress }, () => resolve(socket));
    sockets.push(socket);
    socket.on('error', reject);
  });

/** Sends all but the last mebibyte of a 10 MiB email. */
const upload = async (localAddress: string): Promise<Socket> => {
  const socket = await open(localAddress);
  socket.write(announced('POST /emails', 10 * MIB, [`Api-Key: ${API_KEY}`]));
  await new Promise(resolve => socket.write(Buffer.alloc(9 * MIB, 32), resolve));
  return socket;
};

const tryUpload = (localAddress: string): Promise<string> =>
  firstAnswer(
    gateway.port,
    announced('POST /emails', 10 * MIB, [`Api-Key: ${API_KEY}`, 'Expect: 100-continue']),
    localAddress,
  );

const isAnswered = (pattern: RegExp, localAddress: string) => async () => pattern.test(await tryUpload(localAddress));

describe('refused bodies', () => {
  /** Whether the gateway reads all data of a refused request. */
  const isRead = async (localAddress: string): Promise<boolean> => {
    const socket = await open(localAddress);
    socket.resume().write(announced('POST /dashboard/api/session', 15 * MIB));
    return new Promise(resolve => {
      socket.once('close', () => resolve(false));
      socket.write(Buffer.alloc(14 * MIB, 32), failed => resolve(!failed));
    });
  };

  /** The gateway's socket for a request that is sent at once with 8 MiB of its body. */
  const acceptedFor = async (line: string, ...headers: readonly string[]): Promise<Socket> => {
    let accepted: Socket | undefined;
    const onRequest = (message: unknown) => {
      accepted = (message as { readonly socket: Socket }).socket;
    };
    subscribe('http.server.request.start', onRequest);
    const socket = await open('127.0.0.1');
    socket.resume().write(Buffer.concat([Buffer.from(announced(line, 9 * MIB, headers)), Buffer.alloc(8 * MIB, 32)]));
    await waitFor(() => accepted !== undefined);
    unsubscribe('http.server.request.start', onRequest);
    return accepted as unknown as Socket;
  };

  it('are no longer read from a flooding address, but still from others', async () => {
    await start({});
    const results = await Promise.all(Array.from({ length: 16 }, () => isRead('127.0.0.1')));
    expect(results).toContain(false);
    expect(await isRead(OTHER)).toBe(true);
  });

  it('are not read while a service is called', async () => {
    await start({});
    let answer: () => void = () => undefined;
    const answered = new Promise<void>(resolve => {
      answer = resolve;
    });
    gateway.services.on(authenticateApiKey, async () => {
      await answered;
      return { service_id: ID };
    });
    const accepted = await acceptedFor('POST /emails', `Api-Key: ${API_KEY}`);
    await waitFor(() => gateway.services.requestsOf(authenticateApiKey).length === 1);
    // Each response runs the gateway's event loop, in which it could read further.
    for (let n = 0; n < 10; n += 1) await firstAnswer(gateway.port, 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n', OTHER);
    expect(accepted.bytesRead).toBeLessThanOrEqual(ONE_READ);
    answer();
    await waitFor(() => accepted.bytesRead > 8 * MIB);
  });
});

describe('the bodies in memory', () => {
  it('of one address are limited with 429 and Retry-After until they are released', async () => {
    await start({ POSTERN_MAX_BUFFERED_BYTES_PER_CLIENT: String(16 * MIB) });
    const held = await upload('127.0.0.1');
    await waitFor(isAnswered(/^HTTP\/1\.1 429 .*retry-after: 1\r\n.*\{"error":/s, '127.0.0.1'));
    expect(await tryUpload(OTHER)).toMatch(/^HTTP\/1\.1 100 /);
    const small = announced('POST /emails', 2_000, [`Api-Key: ${API_KEY}`, 'Expect: 100-continue']);
    expect(await firstAnswer(gateway.port, small)).toMatch(/^HTTP\/1\.1 100 /);
    held.destroy();
    await waitFor(isAnswered(/^HTTP\/1\.1 100 /, '127.0.0.1'));
  });

  it('of all addresses are limited with 503 and Retry-After', async () => {
    await start({ POSTERN_MAX_BUFFERED_BYTES: String(16 * MIB) });
    await upload('127.0.0.1');
    await waitFor(isAnswered(/^HTTP\/1\.1 503 .*retry-after: 1\r\n.*\{"error":/s, OTHER));
    const head = announced(`PUT /api/v1/web-services/${ID}/env/bulk`, 10 * MIB, [
      `Authorization: Bearer ${PLATFORM_KEY}`,
    ]);
    expect(await firstAnswer(gateway.port, head, OTHER)).toMatch(/^HTTP\/1\.1 503 .*\{"detail":/s);
  });

  it('are not counted after the response', async () => {
    await start({ POSTERN_MAX_BUFFERED_BYTES: String(16 * MIB) });
    const body = Buffer.alloc(9 * MIB, 32);
    for (let n = 0; n < 3; n++) {
      const answer = await call('POST', `${gateway.url}/emails`, { body, headers: { 'api-key': API_KEY } });
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: expect.stringMatching(/^The body is not valid JSON/) },
      ]);
    }
  });

  it('are also counted without a declared length', async () => {
    await start({ POSTERN_MAX_BUFFERED_BYTES: String(16 * MIB) });
    await upload('127.0.0.1');
    await waitFor(isAnswered(/^HTTP\/1\.1 503 /, OTHER));
    const socket = await open(OTHER);
    const answered = new Promise<string>(resolve => socket.once('data', data => resolve(data.toString('latin1'))));
    socket.write(`POST /emails HTTP/1.1\r\nHost: x\r\nApi-Key: ${API_KEY}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    socket.write(`${(9 * MIB).toString(16)}\r\n`);
    socket.write(Buffer.alloc(9 * MIB, 32));
    expect(await answered).toMatch(/^HTTP\/1\.1 503 /);
  });
});

describe('the connections of one address', () => {
  it('are limited without effect on other addresses', async () => {
    await start({ POSTERN_MAX_CONNECTIONS_PER_ADDRESS: '5' });
    const held = await Promise.all(Array.from({ length: 5 }, () => open('127.0.0.2')));
    const live = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
    await expect(firstAnswer(gateway.port, live, '127.0.0.2').catch(() => '')).resolves.toBe('');
    expect(await firstAnswer(gateway.port, live, OTHER)).toMatch(/^HTTP\/1\.1 200 /);
    held[0]?.destroy();
    await waitFor(async () => (await firstAnswer(gateway.port, live, '127.0.0.2').catch(() => '')).includes(' 200 '));
  });

  it('are not limited for a trusted proxy', async () => {
    await start({ POSTERN_MAX_CONNECTIONS_PER_ADDRESS: '1', POSTERN_TRUSTED_PROXIES: '127.0.0.0/24' });
    await open('127.0.0.2');
    const live = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
    expect(await firstAnswer(gateway.port, live, '127.0.0.2')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('the requests of one address without a valid credential', () => {
  const get = (path: string, localAddress: string, headers = '') =>
    firstAnswer(gateway.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`, localAddress).catch(() => '');
  const status = async (localAddress: string, path: string, headers = '') =>
    (await get(path, localAddress, headers)).slice(9, 12);
  const statuses = async (count: number, localAddress: string, path: string, headers = '') => {
    const found = [];
    for (let n = 0; n < count; n++) found.push(await status(localAddress, path, headers));
    return found;
  };
  /** On a slow machine a request takes so long that further ones are allowed meanwhile. */
  const statusesUntil = async (last: string, localAddress: string, path: string, headers = '') => {
    const found = [];
    while (found.at(-1) !== last && found.length < 200) found.push(await status(localAddress, path, headers));
    return found;
  };

  it.each([
    ['without a route', '/nothing', '', '404'],
    ['for the documentation', '/openapi.json', '', '200'],
    ['without a key', `/emails/${ID}`, '', '401'],
    ['with an invented key', `/emails/${ID}`, `Api-Key: em_live_${'A'.repeat(43)}\r\n`, '401'],
    ['with an invented session', '/dashboard/api/me', 'Authorization: Bearer invented\r\n', '401'],
  ])('%s are limited with 429, and then with closed connections', async (_what, path, headers, answer) => {
    await start({ POSTERN_CLIENT_REQUESTS_PER_SECOND: '1' });
    gateway.services.on(authenticateApiKey, () => {
      throw new Refusal('api_key_invalid', 'The API key is not valid.');
    });
    gateway.services.on(authenticateSession, () => {
      throw new Refusal('session_invalid', 'Sign in again.');
    });
    const answers = await statusesUntil('', '127.0.0.2', path, headers);
    expect(answers.slice(0, 2)).toEqual([answer, answer]);
    expect(answers).toContain('429');
    expect(answers.at(-1)).toBe('');
    expect(await status(OTHER, path, headers)).toBe(answer);
  });

  it('are checked eight at a time, while those of another address are checked in parallel', async () => {
    await start({});
    let answer: () => void = () => undefined;
    const answered = new Promise<void>(resolve => {
      answer = resolve;
    });
    gateway.services.on(authenticateApiKey, async () => {
      await answered;
      throw new Refusal('api_key_invalid', 'The API key is not valid.');
    });
    const invented = (letter: string) =>
      Array.from({ length: 20 }, (_, index) => `em_live_${letter.repeat(41)}${index + 10}`);
    const checked = (keys: readonly string[]) => {
      const hashes = new Set(keys.map(key => hash('sha256', key, 'hex')));
      return gateway.services.requestsOf(authenticateApiKey).filter(({ api_key_hash }) => hashes.has(api_key_hash))
        .length;
    };
    const flood = (localAddress: string, keys: readonly string[]) =>
      keys.map(key => status(localAddress, `/emails/${ID}`, `Api-Key: ${key}\r\n`));
    let begun = 0;
    const onRequest = () => {
      begun += 1;
    };
    subscribe('http.server.request.start', onRequest);
    const [firstKeys, secondKeys] = [invented('A'), invented('B')];
    const first = flood('127.0.0.2', firstKeys);
    await waitFor(() => begun === firstKeys.length);
    unsubscribe('http.server.request.start', onRequest);
    // Requests are admitted in order of arrival, so all requests to services for the first flood precede those for the
    // second.
    const second = flood(OTHER, secondKeys);
    await waitFor(() => checked(secondKeys) >= 8);
    expect([checked(firstKeys), checked(secondKeys)]).toEqual([8, 8]);
    answer();
    expect(await Promise.all([...first, ...second])).toEqual(Array(40).fill('401'));
  });

  it('do not affect a previously accepted credential of this address', async () => {
    await start({ POSTERN_CLIENT_REQUESTS_PER_SECOND: '1' });
    const headers = `Authorization: Bearer ${PLATFORM_KEY}\r\n`;
    expect(await statuses(30, '127.0.0.2', '/api/v1/projects', headers)).toEqual(Array(30).fill('200'));
    const refused = await statusesUntil('', '127.0.0.2', '/nothing');
    expect(refused).toContain('429');
    expect(refused.at(-1)).toBe('');
    expect(await statuses(10, '127.0.0.2', '/api/v1/projects', headers)).toEqual(Array(10).fill('200'));
  });

  it('are attributed to the forwarded address behind a trusted proxy', async () => {
    await start({ POSTERN_CLIENT_REQUESTS_PER_SECOND: '1', POSTERN_TRUSTED_PROXIES: '127.0.0.1' });
    const from = (address: string) => statusesUntil('429', '127.0.0.1', '/nothing', `X-Forwarded-For: ${address}\r\n`);
    expect((await from('2001:db8:1:2::1')).slice(0, 2)).toEqual(['404', '404']);
    expect((await from('2001:db8:1:2:ffff::7')).slice(0, 2)).toContain('429');
    expect((await from('2001:db8:1:3::1')).slice(0, 2)).toEqual(['404', '404']);
  });
});
