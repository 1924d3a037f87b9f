import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call, sendRaw } from '../testing/http.js';

let folder: string;
let gateway: GatewayUnderTest;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-dashboard-'));
  await mkdir(join(folder, 'dist/assets'), { recursive: true });
  await writeFile(join(folder, 'dist/index.html'), '<!doctype html><title>Dashboard</title>');
  await writeFile(join(folder, 'dist/assets/index-abc123.js'), 'console.log(1);');
  await writeFile(join(folder, 'dist/assets/index-abc123.js.br'), brotliCompressSync('console.log(1);'));
  await writeFile(join(folder, 'secret.txt'), 'not for you');
  gateway = await startGateway({ POSTERN_DASHBOARD_DIR: join(folder, 'dist') });
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the dashboard', () => {
  it.each(['/dashboard', '/dashboard/', '/dashboard/services/7/emails'])('starts at %s', async path => {
    const answer = await call('GET', `${gateway.url}${path}`);
    expect([answer.status, answer.text]).toEqual([200, '<!doctype html><title>Dashboard</title>']);
    expect(answer.headers['content-security-policy']).toContain("script-src 'self'");
    expect(answer.headers['cache-control']).toContain('max-age=0');
    expect(answer.headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(answer.headers['permissions-policy']).toContain('camera=()');
  });

  it('lets browsers cache files with a content hash', async () => {
    const answer = await call('GET', `${gateway.url}/dashboard/assets/index-abc123.js`);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(answer.headers['content-type']).toContain('javascript');
  });

  it('serves the compressed copy of a file to clients that accept it', async () => {
    const compressed = await call('GET', `${gateway.url}/dashboard/assets/index-abc123.js`, {
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'br',
      vary: expect.stringMatching(/accept-encoding/i),
    });
    const plain = await call('GET', `${gateway.url}/dashboard/assets/index-abc123.js`, {
      headers: { 'accept-encoding': 'identity' },
    });
    expect([plain.headers['content-encoding'], plain.text]).toEqual([undefined, 'console.log(1);']);
  });

  it('serves no other files', async () => {
    expect((await call('GET', `${gateway.url}/dashboard/missing.js`)).status).toBe(404);
    for (const path of ['/dashboard/../secret.txt', '/dashboard/%2e%2e/secret.txt', '/dashboard/..%2fsecret.txt']) {
      const answer = await sendRaw(gateway.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).not.toContain('not for you');
    }
  });

  it('responds with build instructions if it is not built', async () => {
    const unbuilt = await startGateway();
    const answer = await call('GET', `${unbuilt.url}/dashboard`);
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('npm run build')]);
    await unbuilt.stop();
  });
});

describe('a browser', () => {
  it.each([
    ['/', '/dashboard'],
    ['/favicon.ico', '/dashboard/favicon.svg'],
  ])('is led from %s to %s', async (path, target) => {
    const answer = await fetch(`${gateway.url}${path}`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, target]);
  });

  it('is told in HTML that there is no such page, and a program in JSON', async () => {
    const page = await fetch(`${gateway.url}/nowhere`, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('<a href="/dashboard">');
    for (const [path, accept] of [
      ['/nowhere', '*/*'],
      ['/api/v1/nowhere', 'text/html'],
    ] as const) {
      const answer = await fetch(`${gateway.url}${path}`, { headers: { accept } });
      expect([answer.status, answer.headers.get('error-code')]).toEqual([404, 'route_not_found']);
      expect(answer.headers.get('content-type')).toContain('json');
    }
  });

  it('is asked to keep crawlers to the documentation', async () => {
    const answer = await fetch(`${gateway.url}/robots.txt`);
    expect([answer.status, await answer.text()]).toEqual([200, 'User-agent: *\nAllow: /docs\nDisallow: /\n']);
  });
});
