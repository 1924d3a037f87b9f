import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call, sendRaw } from '../testing/http.js';

let folder: string;
let gateway: GatewayUnderTest;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-documentation-'));
  await mkdir(join(folder, 'site/assets'), { recursive: true });
  await mkdir(join(folder, 'site/email'), { recursive: true });
  await writeFile(join(folder, 'site/index.html'), '<!doctype html><title>Documentation</title>');
  await writeFile(join(folder, 'site/email/webhooks.html'), '<!doctype html><title>Webhooks</title>');
  await writeFile(join(folder, 'site/assets/site-abc123.js'), 'console.log(1);');
  await writeFile(join(folder, 'secret.html'), 'not for you');
  gateway = await startGateway({ POSTERN_DOCUMENTATION_DIR: join(folder, 'site') });
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the documentation', () => {
  it.each([
    ['/docs', 'Documentation'],
    ['/docs/', 'Documentation'],
    ['/docs/email/webhooks', 'Webhooks'],
    ['/docs/email/webhooks/', 'Webhooks'],
  ])('has a page at %s', async (path, title) => {
    const answer = await call('GET', `${gateway.url}${path}`);
    expect([answer.status, answer.text]).toEqual([200, `<!doctype html><title>${title}</title>`]);
    expect(answer.headers['content-security-policy']).toContain("script-src 'self'");
    expect(answer.headers['cache-control']).toContain('max-age=0');
  });

  it.each(['/docs/missing', '/docs/email/', '/docs/assets/missing.js'])(
    'tells a browser in HTML, and a program in JSON, that there is no page %s',
    async path => {
      const page = await fetch(`${gateway.url}${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(await page.text()).toContain('<a href="/docs">');
      const answer = await call('GET', `${gateway.url}${path}`);
      expect([answer.status, answer.headers['content-type']]).toEqual([404, expect.stringContaining('json')]);
    },
  );

  it('lets browsers cache files with a content hash', async () => {
    const answer = await call('GET', `${gateway.url}/docs/assets/site-abc123.js`);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  });

  it('serves no other files', async () => {
    for (const path of ['/docs/../secret', '/docs/%2e%2e/secret', '/docs/..%2fsecret.html']) {
      const answer = await sendRaw(gateway.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).not.toContain('not for you');
    }
  });

  it('responds with build instructions if it is not built', async () => {
    const unbuilt = await startGateway();
    const answer = await call('GET', `${unbuilt.url}/docs`);
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('npm run build')]);
    await unbuilt.stop();
  });
});
