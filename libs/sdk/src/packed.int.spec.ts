import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PackedProject } from '@postern/testing';

const run = promisify(execFile);
const MODULES = join(import.meta.dirname, '../../../node_modules');

const RECORD = { id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00', status: 'sent' };
const bodies: { subject: string; message?: string; text?: string }[] = [];
const server = createServer(async (request, response) => {
  bodies.push((await json(request)) as (typeof bodies)[number]);
  response.setHeader('content-type', 'application/json').end(JSON.stringify(RECORD));
});

let packed: PackedProject;
let project: string;
let baseUrl: string;

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  packed = await PackedProject.create('libs/sdk');
  project = packed.folder;
}, 120_000);
afterAll(() => {
  server.close();
  packed?.remove();
});

const write = (name: string, text: string) => writeFile(join(project, name), text);
const node = async (file: string) =>
  (await run(process.execPath, [file], { cwd: project, env: { ...process.env, BASE_URL: baseUrl } })).stdout.trim();

const USE = `
const postern = new Postern('em_live_x', { baseUrl: process.env.BASE_URL });
const email = { from: 'a@example.com', to: 'b@example.com', subject: 'Hi' };
const failure = verifyWebhook({ body: '{}', headers: {}, secret: 'whsec_x' }).catch(error => error.reason);
Promise.all([postern.emails.send({ ...email, text: 'Hello' }), failure, typeof posternWebhook]).then(all =>
  console.log(JSON.stringify(all)),
);`;
const USED = JSON.stringify([RECORD, 'missing_headers', 'function']);

describe('the packed SDK in an empty project', () => {
  it('has no dependencies, and only built files', async () => {
    const manifest = JSON.parse(await readFile(join(project, 'node_modules/@postern/sdk/package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    const { stdout } = await run('find', ['-type', 'f'], { cwd: join(project, 'node_modules/@postern') });
    const other = stdout.split('\n').filter(path => path && !/\/sdk\/(commonjs\/)?dist\/.*\.(js|d\.ts)$/.test(path));
    expect(other.sort()).toEqual([
      './sdk/LICENSE',
      './sdk/README.md',
      './sdk/commonjs/package.json',
      './sdk/package.json',
    ]);
    expect(stdout).not.toMatch(/spec/);
  });

  it('works as an ECMAScript module', async () => {
    await write(
      'use.mjs',
      `import { Postern, verifyWebhook } from '@postern/sdk';
import { posternWebhook } from '@postern/sdk/express';${USE}`,
    );
    expect(await node('use.mjs')).toBe(USED);
  });

  it('works as a CommonJS module', async () => {
    await write(
      'use.cjs',
      `const { Postern, verifyWebhook } = require('@postern/sdk');
const { posternWebhook } = require('@postern/sdk/next');${USE}`,
    );
    expect(await node('use.cjs')).toBe(USED);
  });

  it.each([
    ['module.mts', 'NodeNext'],
    ['commonjs.cts', 'NodeNext'],
    ['bundled.ts', 'ESNext'],
  ])(
    'type-checks strictly in %s with module %s',
    async (file, module) => {
      await mkdir(join(project, 'node_modules/@types'), { recursive: true });
      for (const types of ['@types/node', 'undici-types'])
        await symlink(join(MODULES, types), join(project, 'node_modules', types)).catch(() => {});
      await write(
        file,
        `import { Postern, type WebhookEvent, ServerError } from '@postern/sdk';
import { posternWebhook } from '@postern/sdk/fastify';
const postern = new Postern('em_live_x', { baseUrl: 'https://postern.example.com' });
export const id: Promise<string> = postern.emails
  .send({ from: 'a@example.com', to: ['b@example.com'], subject: 'Hi', text: 'Hello' })
  .then(({ id }) => id);
export const reason = (event: WebhookEvent) => (event.event === 'bounced' ? event.data.reason : undefined);
export const emailId = (error: unknown) => (error instanceof ServerError ? error.emailId : undefined);
export const plugin = posternWebhook({ path: '/hook', secret: 'whsec_x', onEvent: event => event.email_id });
// @ts-expect-error A message needs a body.
postern.emails.send({ from: 'a@example.com', to: 'b@example.com', subject: 'Hi' });
`,
      );
      const options = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--target', 'ES2022', '--lib', 'ES2022'];
      const resolution = module === 'ESNext' ? 'Bundler' : 'NodeNext';
      const tsc = run(
        join(MODULES, '.bin/tsc'),
        [...options, '--types', 'node', '--module', module, '--moduleResolution', resolution, '--ignoreConfig', file],
        { cwd: project },
      );
      expect(await tsc.catch(error => error.stdout)).toMatchObject({ stdout: '' });
    },
    60_000,
  );

  it('renders React components if @react-email/render is installed, and reports what to install otherwise', async () => {
    const script = `import { Postern } from '@postern/sdk';
const postern = new Postern('em_live_x', { baseUrl: process.env.BASE_URL });
const send = react => postern.emails.send({ from: 'a@example.com', to: 'b@example.com', subject: 'React', react });
`;
    await write('without.mjs', `${script}send({}).catch(error => console.log(error.message));`);
    expect(await node('without.mjs')).toContain('npm install @react-email/render');

    await mkdir(join(project, 'node_modules/@react-email'), { recursive: true });
    for (const linked of ['react', 'react-dom', '@react-email/render'])
      await symlink(join(MODULES, linked), join(project, 'node_modules', linked));
    await write(
      'with.mjs',
      `import { createElement } from 'react';
${script}await send(createElement('p', null, 'Hello, ', createElement('b', null, 'Ada')));`,
    );
    await node('with.mjs');
    expect(bodies.find(({ subject }) => subject === 'React')?.message).toMatch(/<p>Hello, (<!-- -->)?<b>Ada<\/b><\/p>/);
  }, 60_000);
});
