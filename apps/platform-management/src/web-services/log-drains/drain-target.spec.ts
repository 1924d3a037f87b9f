import { describe, expect, it } from '@jest/globals';
import { createLogDrain, type RequestInput } from '@postern/contracts';
import { OutboundGuard } from '@postern/outbound';
import { ofService } from '../../testing/fake-neighbours.js';
import { acceptTarget, secretsOf, shownUrlOf } from './drain-target.js';

const guard = new OutboundGuard({
  allowPrivate: false,
  resolve: async hostname => [{ address: hostname.startsWith('internal') ? '10.0.0.1' : '93.184.215.14', family: 4 }],
});
const IDS = ofService('019ca2c0-0000-7000-8000-000000000002');
const accept = (request: Omit<RequestInput<typeof createLogDrain>, keyof typeof IDS>, by = guard) =>
  acceptTarget(createLogDrain.request.parse({ ...IDS, ...request }), by);

describe('the address of a log drain', () => {
  it.each([
    ['syslog', 'syslog+tls://logs.example.com', 'syslog+tls://logs.example.com'],
    ['syslog', 'syslog+tls://LOGS.example.com:514/', 'syslog+tls://logs.example.com:514/'],
    ['https', 'https://logs.example.com/in?key=1', 'https://logs.example.com/in?key=1'],
    ['otlp', 'https://otel.example.com/v1/logs', 'https://otel.example.com/v1/logs'],
  ] as const)('of the kind %s can be %s', async (kind, url, expected) => {
    expect((await accept({ kind, url })).url).toBe(expected);
  });

  it.each([
    ['https', 'http://logs.example.com/', 'must start with https://'],
    ['otlp', 'syslog+tls://logs.example.com', 'must start with https://'],
    ['syslog', 'https://logs.example.com', 'must start with syslog+tls://'],
    ['syslog', 'syslog://logs.example.com:514', 'must start with syslog+tls://'],
    ['syslog', 'syslog+tls://logs.example.com/path', 'without a path'],
    ['syslog', 'syslog+tls:///', 'must name a host'],
    ['https', 'https://user:pass@logs.example.com/', 'user name or password'],
    ['https', 'https://169.254.169.254/latest/', 'not a host with a public address'],
    ['https', 'https://internal.example.com/', 'not a host with a public address'],
    ['syslog', 'syslog+tls://internal.example.com', 'not a host with a public address'],
    ['syslog', 'syslog+tls://127.1:6514', '127.0.0.1 is not a host with a public address'],
    ['syslog', 'syslog+tls://0x7f000001', '127.0.0.1 is not a host with a public address'],
    ['syslog', 'syslog+tls://[::1]', 'not a host with a public address'],
    ['syslog', 'syslog+tls://[::ffff:10.0.0.1]:1', 'not a host with a public address'],
    ['https', 'logs.example.com', 'is not a URL'],
  ] as const)('of the kind %s cannot be %s', async (kind, url, reason) => {
    await expect(accept({ kind, url })).rejects.toMatchObject({
      code: 'invalid_url',
      message: expect.stringMatching(new RegExp(`^url: .*${reason.replace(/[+./]/g, '\\$&')}`)),
    });
  });

  it('is never syslog without TLS, even where private addresses are allowed', async () => {
    const open = new OutboundGuard({ allowPrivate: true });
    expect((await accept({ kind: 'https', url: 'http://127.0.0.1:9/' }, open)).url).toBe('http://127.0.0.1:9/');
    await expect(accept({ kind: 'syslog', url: 'syslog://127.0.0.1' }, open)).rejects.toMatchObject({
      code: 'invalid_url',
    });
  });
});

describe('the headers of a log drain', () => {
  const url = 'https://logs.example.com/';
  it('include the token as a bearer token', async () => {
    const target = await accept({ kind: 'otlp', url, token: 'secret-1', headers: { 'X-Scope': 'shop' } });
    expect(target.headers).toEqual({ Authorization: 'Bearer secret-1', 'X-Scope': 'shop' });
  });

  it.each([
    [{ kind: 'syslog', url: 'syslog+tls://logs.example.com', token: 'x' }, 'token: syslog has no headers'],
    [{ kind: 'syslog', url: 'syslog+tls://logs.example.com', headers: { A: 'b' } }, 'headers: syslog has no headers'],
    [{ kind: 'https', url, token: 'x', headers: { authorization: 'Basic eA==' } }, 'token: give either'],
  ] as const)('are refused in %j', async (request, message) => {
    await expect(accept(request)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    { Host: 'other.example.com' },
    { 'Content-Length': '1' },
    { 'Transfer-Encoding': 'chunked' },
    { 'X-A': 'b\r\nX-C: d' },
    { 'X A': 'b' },
    { 'X-A': '' },
    { 'X-A': '1', 'x-a': '2' },
    Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`X-${index}`, 'v'])),
  ])('cannot be %j', headers => {
    expect(createLogDrain.request.safeParse({ ...IDS, kind: 'https', url, headers }).success).toBe(false);
  });
});

describe('what is shown of a log drain', () => {
  const target = { url: 'https://logs.example.com/in?api-key=k-1&tags=', headers: { Authorization: 'Bearer t-1' } };
  it('has no values of the query', () => {
    expect(shownUrlOf(target)).toBe('https://logs.example.com/in?api-key=********&tags=********');
    expect(shownUrlOf({ ...target, url: 'https://logs.example.com/in' })).toBe('https://logs.example.com/in');
  });

  it('has no secret in an error', () => {
    expect(secretsOf(target)).toEqual(['Bearer t-1', 't-1', 'k-1']);
  });
});
