import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language, type SampledRequest, sampleOf } from '@postern/contracts/request-samples';

const run = promisify(execFile);
const FILES: Readonly<Record<Language, readonly [program: string, file: string, ...args: string[]]>> = {
  curl: ['sh', 'sample.sh'],
  node: ['node', 'sample.mjs'],
  python: ['python3', 'sample.py'],
  go: ['go', 'sample.go', 'run'],
  php: ['php', 'sample.php'],
  ruby: ['ruby', 'sample.rb'],
};
const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some(folder => existsSync(join(folder, program)));
const RUNNABLE = LANGUAGES.map(([language]) => language).filter(language => isInstalled(FILES[language][0]));

const BODY = { text: `It's "quoted", \\ and \`ticked\`\n$HOME #{x}`, yes: true, none: null, more: ['é'] };
const KEY = { header: 'Authorization', prefix: 'Bearer ', variable: 'POSTERN_PLATFORM_KEY' };

const received: unknown[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method, url, headers } = request;
  const body = Buffer.concat(chunks).toString();
  received.push({ method, url, key: headers.authorization, ...(body ? { body: JSON.parse(body) } : {}) });
  response.end('{"id":"1"}');
});
const folder = mkdtempSync(join(tmpdir(), 'postern-samples-'));
let origin = '';

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received.length = 0;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const send = async (language: Language, request: SampledRequest): Promise<string> => {
  const [program, file, ...args] = FILES[language];
  writeFileSync(join(folder, file), sampleOf(language, request));
  const { NODE_OPTIONS: _, ...env } = process.env;
  const options = { cwd: folder, env: { ...env, POSTERN_PLATFORM_KEY: 'ak_live_1' } };
  return (await run(program, [...args, file], options)).stdout;
};

describe.each(RUNNABLE)('The sample in %s', language => {
  it('sends a body and the key, and prints the answer', async () => {
    const body = JSON.stringify(BODY, null, 2);
    expect(await send(language, { method: 'PUT', url: `${origin}/a/1?x=y`, key: KEY, body })).toContain('{"id":"1"}');
    expect(received).toEqual([{ method: 'PUT', url: '/a/1?x=y', key: 'Bearer ak_live_1', body: BODY }]);
  });

  it.each(['GET', 'DELETE'])('sends a %s without a body', async method => {
    expect(await send(language, { method, url: `${origin}/a`, key: KEY })).toContain('{"id":"1"}');
    expect(received).toEqual([{ method, url: '/a', key: 'Bearer ak_live_1' }]);
  });

  it('sends a request without a key', async () => {
    await send(language, { method: 'POST', url: `${origin}/a`, body: '{}' });
    expect(received).toEqual([{ method: 'POST', url: '/a', key: undefined, body: {} }]);
  });
});

it.each(LANGUAGES)('The sample in %s has the URL, the variable of the key and the body', (language, _name) => {
  const program = sampleOf(language, { method: 'POST', url: 'https://m.test/a', key: KEY, body: '{"name":"Shop"}' });
  for (const part of ['https://m.test/a', 'POSTERN_PLATFORM_KEY', '{"name":"Shop"}']) expect(program).toContain(part);
});
