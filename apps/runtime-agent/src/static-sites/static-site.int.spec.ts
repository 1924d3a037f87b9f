import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { StaticSite } from './static-site.js';

let server: Server | undefined;
let folder: string;
const log: string[] = [];

const serve = async (files: Readonly<Record<string, string | Buffer>>): Promise<void> => {
  folder = await mkdtemp(join(tmpdir(), 'postern-site-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const site = await StaticSite.open(folder, line => log.push(line));
  // A client may close its connection with the last byte.
  server = createServer((incoming, response) => void site.answer(incoming, response).catch(() => response.destroy()));
  await new Promise<void>(resolve => server!.listen(0, '127.0.0.1', resolve));
};

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

const get = async (path: string, headers: IncomingHttpHeaders = {}, method = 'GET') => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { port } = server!.address() as AddressInfo;
  request({ port, path, method, headers, agent: false }, resolve).once('error', reject).end();
  const answer = await promise;
  const body = await buffer(answer);
  return { status: answer.statusCode, headers: answer.headers, body, text: body.toString('utf8') };
};

const SCRIPT = 'console.log("hello");\n'.repeat(200);

describe('A static site', () => {
  it('answers 404 with its own page, and 405 for other methods', async () => {
    await serve({ 'index.html': 'home', '404.html': 'nothing here' });
    expect(await get('/none')).toMatchObject({ status: 404, text: 'nothing here' });
    expect(await get('/', {}, 'POST')).toMatchObject({ status: 405 });
    expect(await get('/', {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  it('serves the page of a single-page application for every path without a file', async () => {
    await serve({ 'index.html': 'app', 'app.js': SCRIPT, _redirects: '/* /index.html 200\n' });
    expect(await get('/orders/5')).toMatchObject({ status: 200, text: 'app' });
    expect((await get('/app.js')).text).toBe(SCRIPT);
  });

  it('follows its redirects, unless a file has the path; forced ones always', async () => {
    const _redirects = '/old/* /new/:splat 302\n/page.html /other 301\n/hidden.html /other 301!\n';
    await serve({ _redirects, 'page.html': 'page', 'hidden.html': 'hidden' });
    expect(await get('/old/a?b=1')).toMatchObject({ status: 302, headers: { location: '/new/a?b=1' } });
    expect(await get('/page.html')).toMatchObject({ status: 200, text: 'page' });
    expect(await get('/hidden.html')).toMatchObject({ status: 301, headers: { location: '/other' } });
  });

  it('does not serve its rules, hidden files, and files outside', async () => {
    await serve({ _redirects: '', _headers: '', '.env': 'secret', '.well-known/a': 'known', 'index.html': 'home' });
    await symlink('/etc/hostname', join(folder, 'name'));
    for (const path of ['/_redirects', '/_headers', '/.env', '/name', '/..%2f..%2fetc/hostname', '/%ff', '/%00'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    expect((await get('/.well-known/a')).text).toBe('known');
  });

  it('sends a folder to its path with a slash, and never to another host', async () => {
    await serve({ 'docs/index.html': 'docs', 'about.html': 'about' });
    expect(await get('/docs?a=1')).toMatchObject({ status: 301, headers: { location: '/docs/?a=1' } });
    expect(await get('//docs')).toMatchObject({ status: 301, headers: { location: '/docs/' } });
    expect((await get('/docs/')).text).toBe('docs');
    expect((await get('/about')).text).toBe('about');
  });

  it('compresses text with Brotli or gzip, and nothing else', async () => {
    const large = SCRIPT.repeat(400);
    await serve({ 'app.js': SCRIPT, 'large.js': large, 'a.png': Buffer.alloc(5_000) });
    const brotli = await get('/app.js', { 'accept-encoding': 'gzip, br' });
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(brotliDecompressSync(brotli.body).toString()).toBe(SCRIPT);
    const gzip = await get('/app.js', { 'accept-encoding': 'gzip, br;q=0' });
    expect(gunzipSync(gzip.body).toString()).toBe(SCRIPT);
    expect(gunzipSync((await get('/large.js', { 'accept-encoding': 'gzip' })).body).toString()).toBe(large);
    expect((await get('/app.js')).headers['content-encoding']).toBeUndefined();
    expect((await get('/a.png', { 'accept-encoding': 'br' })).headers).not.toHaveProperty('content-encoding');
  });

  it('is cached: pages are checked again, files with a hash in their name are kept', async () => {
    await serve({
      'index.html': 'home',
      'assets/index-BxkS2x1b.js': SCRIPT,
      'main.3f2a1b9c.css': 'a{}',
      'app-production.js': '',
    });
    const page = await get('/');
    expect(page.headers['cache-control']).toBe('no-cache');
    expect(await get('/', { 'if-none-match': page.headers.etag })).toMatchObject({ status: 304, text: '' });
    expect(await get('/', { 'if-modified-since': page.headers['last-modified'] })).toMatchObject({ status: 304 });
    const cached = async (path: string) => (await get(path)).headers['cache-control'];
    expect(await cached('/assets/index-BxkS2x1b.js')).toContain('immutable');
    expect(await cached('/main.3f2a1b9c.css')).toContain('immutable');
    expect(await cached('/app-production.js')).toBe('no-cache');
  });

  it('sends a range of a file', async () => {
    await serve({ 'a.txt': '0123456789' });
    const range = async (range: string) => {
      const { status, text, headers } = await get('/a.txt', { range });
      return [status, headers['content-range'], status === 416 ? '' : text];
    };
    expect(await range('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await range('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await range('bytes=8-')).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await range('bytes=20-')).toEqual([416, 'bytes */10', '']);
    expect(await range('bytes=1-2,4-5')).toEqual([200, undefined, '0123456789']);
  });

  it('sends the headers of its rules, and logs lines that it does not use', async () => {
    log.length = 0;
    await serve({ 'index.html': 'home', _headers: '/*\n  X-Robots-Tag: none\n  Connection: close\n' });
    expect((await get('/')).headers['x-robots-tag']).toBe('none');
    expect(log).toEqual(['_headers, line 3: connection is set by the server; the line is ignored']);
  });
});
