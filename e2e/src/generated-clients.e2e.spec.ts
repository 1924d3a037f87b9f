import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedPlatform } from './stories.js';
import { temporaryHome } from './temporary-home.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const platform = await sharedPlatform();
const { baseUrl } = platform.world.postern;
const sender = await platform.world.sender('Generated', 'generated.example.com');

const project = temporaryHome();
afterAll(() => project.remove());

/** A program that uses the generated types, with mistakes that the types must detect. */
const PROGRAM = `import createClient from 'openapi-fetch';
import type { paths } from './public.ts';
import type { paths as DashboardPaths } from './dashboard.ts';

const environment = process.env as Record<string, string>;
const baseUrl = environment['BASE_URL']!;
const email = createClient<paths>({ baseUrl, headers: { 'Api-Key': environment['EMAIL_KEY']! } });
const platform = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${environment['PLATFORM_KEY']}\` } });
const dashboard = createClient<DashboardPaths>({ baseUrl, headers: { Authorization: \`Bearer \${environment['TOKEN']}\` } });

const sent = await email.POST('/emails', {
  body: { from: 'shop@generated.example.com', to: ['delivered@simulator.test'], subject: 'Generated', text: 'Hello' },
});
if (!sent.data) throw new Error(sent.error.error);
const status: 'sent' | 'failed' = sent.data.status;
const got = await email.GET('/emails/{id}', { params: { path: { id: sent.data.id } } });

const rest = { from: 'shop@generated.example.com', to: ['delivered@simulator.test'], subject: 'Generated' };
const html = await email.POST('/emails', { body: { ...rest, message: '<p>Hello</p>' } });
const both = await email.POST('/emails', { body: { ...rest, message: '<p>Hello</p>', text: 'Hello' } });

const created = await platform.POST('/api/v1/projects', { body: { name: 'Generated' } });
if (!created.data) throw new Error('no project');
const projects = await platform.GET('/api/v1/projects');
const names: readonly string[] = projects.data?.map(({ name }) => name) ?? [];

const services = await dashboard.GET('/dashboard/api/email-services');

const refused = await email.POST('/emails', {
  // @ts-expect-error A message has a body.
  body: { from: 'shop@generated.example.com', to: ['delivered@simulator.test'], subject: 'Generated' },
});
// @ts-expect-error The API has no such path.
type Missing = paths['/api/v1/nothing'];

console.log(JSON.stringify({
  status,
  same: got.data?.id === sent.data.id,
  listed: names.includes('Generated'),
  services: services.response.status,
  refused: refused.response.status,
  bodies: [html.response.status, both.response.status],
}));
`;

const write = (file: string, text: string) => writeFileSync(join(project.folder, file), text);

beforeAll(async () => {
  const modules = join(project.folder, 'node_modules');
  mkdirSync(join(modules, '@types'), { recursive: true });
  symlinkSync(dirname(require.resolve('openapi-fetch/package.json')), join(modules, 'openapi-fetch'));
  for (const linked of ['@types/node', 'undici-types', 'openapi-typescript-helpers'])
    symlinkSync(join(ROOT, 'node_modules', linked), join(modules, linked));
  write('package.json', '{"private": true, "type": "module"}');
  write('program.ts', PROGRAM);
  const generator = join(dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js');
  for (const [file, path] of [
    ['public.ts', '/openapi.json'],
    ['dashboard.ts', '/dashboard/api/openapi.json'],
  ] as const)
    await run(process.execPath, [generator, `${baseUrl}${path}`, '-o', join(project.folder, file)], {
      env: { PATH: process.env['PATH'] },
    });
}, 120_000);

describe('types that openapi-typescript generates', () => {
  it('compile in strict mode with a program that uses them, and detect its mistakes', async () => {
    const options = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const modules = ['--module', 'NodeNext', '--target', 'ES2024', '--types', 'node', '--allowImportingTsExtensions'];
    const tsc = run(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...modules, '--ignoreConfig', 'program.ts'], {
      cwd: project.folder,
    });
    expect(await tsc.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: '' });
  }, 60_000);

  it('describe a running Postern', async () => {
    const env = {
      PATH: process.env['PATH'],
      BASE_URL: baseUrl,
      EMAIL_KEY: sender.apiKey,
      PLATFORM_KEY: platform.writer.key,
      TOKEN: platform.world.token,
    };
    const { stdout } = await run(process.execPath, ['program.ts'], { cwd: project.folder, env });
    expect(JSON.parse(stdout)).toEqual({
      status: 'sent',
      same: true,
      listed: true,
      services: 200,
      refused: 400,
      bodies: [200, 200],
    });
  }, 60_000);
});
