import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandRunner } from './command/command-runner.js';
import { sharedWorld } from './stories.js';

const PASSWORD = 'four unrelated words here';
const PERIOD_MS = 30_000;

const world = await sharedWorld();
const url = world.postern.baseUrl;
const email = `second-factor-${Date.now()}@customers.test`;
const runner = new CommandRunner();
afterAll(() => runner.stop());

let secret: string;
let recoveryCodes: readonly string[];

beforeAll(async () => {
  expect((await world.callDashboardApi('POST', '/users', { email, password: PASSWORD })).status).toBe(201);
  const session = await world.call('POST', '/dashboard/api/session', { body: { email, password: PASSWORD } });
  const token = String(session.body['token']);
  const started = await world.callDashboardApi('POST', '/me/second-factor', { password: PASSWORD }, token);
  secret = String(started.body['secret']);
  // The code of the previous period, because each code is accepted once.
  const code = codeAt(Date.now() - PERIOD_MS);
  const confirmed = await world.callDashboardApi('POST', '/me/second-factor/confirm', { code }, token);
  expect(confirmed.status).toBe(200);
  recoveryCodes = confirmed.body['recovery_codes'] as readonly string[];
});

describe('postern login of a user with a second factor', () => {
  const signIn = (...lines: readonly string[]) =>
    runner.run(['login', '--url', url, '--email', email], lines.map(line => `${line}\n`).join(''));

  it('fails without a code, and reports what is missing', async () => {
    const { code, err } = await signIn(PASSWORD);
    expect([code, err]).toEqual([2, expect.stringContaining('Code of your authenticator')]);
  });

  it('fails with a wrong code, and stores nothing', async () => {
    const right = codeAt(Date.now());
    const { code } = await signIn(PASSWORD, right === '000000' ? '000001' : '000000');
    expect(code).toBe(3);
    expect((await runner.run(['whoami'])).code).toBe(3);
  });

  it('prompts for the code of the authenticator, and stores a session that works', async () => {
    const { code, out, err } = await signIn(PASSWORD, codeAt(Date.now()));
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain(PASSWORD);
    expect((await runner.run(['whoami'])).out).toContain(email);
    const stored = JSON.parse(await readFile(join(runner.folder, 'config/postern/config.json'), 'utf8'));
    expect(JSON.stringify(stored)).not.toContain(PASSWORD);
    expect((await world.callDashboardApi('GET', '/me', undefined, stored.session.token)).body).toMatchObject({ email });
  });

  it('is a known device afterwards: guesses of others do not delay it, even from its own network', async () => {
    const guess = () => world.call('POST', '/dashboard/api/session', { body: { email, password: 'guess' } });
    const codes: (string | null)[] = [];
    for (let n = 0; n < 15; n++) codes.push((await guess()).headers.get('error-code'));
    expect(codes).toContain('too_many_attempts');
    const [, recovery = ''] = recoveryCodes;
    expect((await runner.run(['logout'])).code).toBe(0);
    expect((await signIn(PASSWORD, recovery)).code).toBe(0);
  });

  it('accepts a recovery code once', async () => {
    const [recovery = ''] = recoveryCodes;
    expect((await signIn(PASSWORD, recovery)).code).toBe(0);
    expect((await signIn(PASSWORD, recovery)).code).toBe(3);
  });
});

/** The TOTP code at a time (RFC 6238 with SHA-1, six digits). */
function codeAt(ms: number): string {
  const bits = [...secret].map(letter =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(ms / PERIOD_MS)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
