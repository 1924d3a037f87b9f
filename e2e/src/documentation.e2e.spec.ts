import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { freePort, waitFor } from '@postern/testing';
import { examplePages } from './documentation/code-examples.js';
import { canRun, ProgramRunner } from './documentation/program-runner.js';
import { sharedPlatform } from './stories.js';
import { temporaryHome } from './temporary-home.js';

const WEB_SERVICE = { 'index.html': '<h1>Hello</h1>' };
const SECRET = 'whsec_dGVzdCBzZWNyZXQ=';
const EVENT = JSON.stringify({ event: 'delivered', email_id: 'e7', to: 'ada@customers.test', data: {} });

const platform = await sharedPlatform();
const sender = await platform.world.sender('Documentation', 'example.com');
const service = await platform.service(WEB_SERVICE);
await service.deploy();

const environment = {
  POSTERN_URL: platform.world.postern.baseUrl,
  POSTERN_EMAIL_KEY: sender.apiKey,
  POSTERN_PLATFORM_KEY: platform.writer.key,
  REPOSITORY_URL: service.repository.url,
  WEB_SERVICE_ID: service.id,
  PROJECT_ID: service.projectId,
  WEBHOOK_SECRET: SECRET,
};

const signed = (body: string, seconds: number, secret = SECRET) => ({
  'content-type': 'application/json',
  'x-service-timestamp': String(seconds),
  'x-service-signature': createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'),
});

/** Paths of the links in the HTML of a page, without fragments. */
const linksIn = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="([^"#]+)/g)].map(([, link = '']) => link);

describe('the documentation', () => {
  const fetched = new Map<string, { readonly status: number; readonly text: string }>();
  const load = async (path: string) => {
    const answer = await fetch(platform.world.postern.baseUrl + path);
    const loaded = { status: answer.status, text: await answer.text() };
    fetched.set(path, loaded);
    return loaded;
  };

  it('has no broken link', async () => {
    const queue = ['/docs'];
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const { status, text } = await load(path);
      expect([path, status]).toEqual([path, 200]);
      if (path.startsWith('/docs') && /^<!doctype html>/i.test(text))
        queue.push(
          ...linksIn(text).filter(link => link.startsWith('/') && !fetched.has(link) && !queue.includes(link)),
        );
    }
    expect(fetched.size).toBeGreaterThan(30);
  });

  it('shows its first page with less than 350 kB, all of it from this Postern and none of it inline scripts', async () => {
    const { text } = await load('/docs');
    const files = linksIn(text.slice(0, text.indexOf('</head>')));
    const sizes = await Promise.all(files.map(async file => (await load(file)).text.length));
    for (const file of files) expect(file).toMatch(/^\/[^/]/);
    expect(text).not.toMatch(/<script(?![^>]* src=)/);
    expect(sizes.reduce((sum, size) => sum + size, text.length)).toBeLessThan(350_000);
  });
});

const missing = examplePages()
  .flatMap(({ examples }) => examples)
  .filter(example => !canRun(example));
if (missing.length > 0)
  console.warn(`not run, because the programs are not installed: ${missing.map(({ file }) => file).join(', ')}`);

describe.each(examplePages())('the examples of $page', ({ examples }) => {
  const home = temporaryHome();
  const runner = new ProgramRunner(home.folder, environment);
  afterAll(() => {
    runner.stop();
    home.remove();
  });

  for (const [at, example] of examples.filter(canRun).entries())
    if (example.kind !== 'receiver')
      it(`run: ${at + 1}, ${example.language}`, async () => {
        expect(await runner.run(example)).not.toBe('');
      }, 150_000);
    else
      it(`verify signatures: ${example.language}`, async () => {
        const port = await freePort();
        runner.start(example, port);
        const now = Math.floor(Date.now() / 1000);
        const post = async (headers: Record<string, string>, body = EVENT) =>
          (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
        await waitFor(
          () =>
            post({}).then(
              () => true,
              () => undefined,
            ),
          { timeoutMs: 60_000, describe: example.file },
        );

        expect(await post(signed(EVENT, now))).toBe(200);
        expect(await post(signed(EVENT, now, 'whsec_another'))).toBe(401);
        expect(await post(signed(EVENT, now), EVENT.replace('ada', 'eve'))).toBe(401);
        expect(await post(signed(EVENT, now - 400))).toBe(401);
        expect(await post(signed(EVENT, now + 400))).toBe(401);
        expect(await post({ 'content-type': 'application/json' })).toBe(401);
      }, 90_000);
});
