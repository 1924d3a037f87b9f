import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, stat, utimes, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Artefact } from '@postern/runtime';
import type { Files } from '@postern/runtime/testing';
import { freePort, waitFor } from '@postern/testing';
import { BuildsFixture } from '../build/testing/builds-fixture.js';
import type { ConfinedPlace } from '../instances/confinement.js';
import { INSTANCE_MARKER } from '../instances/process-markers.js';

const answering = (message: string) =>
  `require('node:http').createServer((_, r) => r.end(${JSON.stringify(message)})).listen(process.env.PORT);`;

/** Sends the path without normalizing it. */
const send = async (url: string, path = '/', method = 'GET') => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, { path, method, agent: false }, resolve).once('error', reject).end();
  const answer = await promise;
  return { status: answer.statusCode, type: answer.headers['content-type'], body: await text(answer) };
};

describe('An artefact', () => {
  let fixture: BuildsFixture;
  const started: ConfinedPlace[] = [];
  afterEach(async () => {
    for (const place of started.splice(0)) await place.clear();
    await fixture.stop();
  });

  const build = async (files: Files, startCommand?: string, buildCommand?: string) => {
    fixture ??= await BuildsFixture.start();
    return fixture.build(await fixture.order(files, { startCommand, buildCommand }));
  };

  /** Starts an instance as the runtime does. @returns its URL. */
  const start = async (artefact: Artefact, startCommand?: string): Promise<string> => {
    const { directory, folder, argv } = await fixture.here.launchOf(artefact.reference, startCommand);
    const port = await freePort();
    const id = `artefacts-${randomUUID()}`;
    const place = await fixture.here.confinement.prepare(id, fixture.webServiceId);
    started.push(place);
    const own = await mkdtemp(join(tmpdir(), 'postern-artefacts-'));
    const view = await place.view({ app: directory, appWritable: false, home: own, temporary: own });
    const seen = argv.map(each => view.pathOf(each));
    const [command = '', ...args] = view.wrap(seen, folder);
    const environment = { PATH: fixture.here.path, PORT: String(port), [INSTANCE_MARKER]: id };
    spawn(command, args, { cwd: view.startDirectory, env: environment, stdio: 'ignore', detached: true });
    const url = `http://127.0.0.1:${port}`;
    await waitFor(() =>
      send(url).then(
        () => true,
        () => false,
      ),
    );
    return url;
  };

  it.each<readonly [string, string | undefined, Files]>([
    [
      'its start command',
      'answering',
      {
        'package.json': '{"scripts": {"start": "exit 1"}}',
        'node_modules/.bin/answering': `#!/bin/sh\nexec node "$(dirname "$0")/../../server.js"`,
        'server.js': answering('started'),
      },
    ],
    [
      'the web line of its Procfile',
      undefined,
      {
        Procfile: 'worker: exit 1\nweb: node server.js\n',
        'package.json': '{"scripts": {"start": "exit 1"}}',
        'server.js': answering('started'),
      },
    ],
    [
      'the start script of its package.json',
      undefined,
      {
        'package.json': '{"scripts": {"prestart": "true # fine", "start": "node server.js"}}',
        'index.html': 'no',
        'server.js': answering('started'),
      },
    ],
    ['its page', undefined, { 'index.html': 'started' }],
    ['the page that a build has made of it', undefined, { 'index.html': 'source', 'dist/index.html': 'started' }],
  ])('is started by %s', async (_, command, files) => {
    fixture = await BuildsFixture.start();
    const artefact = await build(files, command, 'chmod -R +x node_modules 2>/dev/null || true');
    expect((await send(await start(artefact, command))).body).toBe('started');
  });

  it('serves a static site and no other file', async () => {
    fixture = await BuildsFixture.start();
    const artefact = await build({
      'dist/index.html': 'home',
      'dist/about.html': 'about',
      'dist/.env': 'hidden',
      'dist/a.css': 'css',
      'secret.txt': 'secret',
    });
    const url = await start(artefact);
    const status = async (path: string, method = 'GET') => (await send(url, path, method)).status;
    expect((await send(url, '/about')).body).toBe('about');
    expect((await send(url, '/a.css')).type).toMatch(/^text\/css/);
    expect(await status('/')).toBe(200);
    for (const path of [
      '/none',
      '/.env',
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/%2e%2e%2fsecret.txt',
    ])
      expect([path, await status(path)]).toEqual([path, 404]);
    expect(await status('/', 'POST')).toBe(405);
  });

  it('is refused when its site has a link that points outside it', async () => {
    fixture = await BuildsFixture.start();
    await expect(build({ 'index.html': 'home' }, undefined, 'ln -s /etc/passwd passwd')).rejects.toThrow(
      'the link passwd points outside the site',
    );
  });

  it('is not read through a link that its build created', async () => {
    fixture = await BuildsFixture.start();
    const secret = join(fixture.home, 'secret');
    await writeFile(secret, 'web: echo secret', { mode: 0o600 });
    await expect(build({ a: '' }, undefined, `ln -s ${secret} Procfile; mkfifo package.json`)).rejects.toThrow(
      /^no start command/,
    );
  });

  it('is writable in working copies at most, and keeps no setuid, setgid or sticky bits', async () => {
    fixture = await BuildsFixture.start();
    const artefact = await build(
      { 'a/b': 'text' },
      'true',
      'umask 0; cp /bin/true tool; chmod 6777 tool a; chmod 600 a/b',
    );
    const mode = async (name: string) => ((await stat(fixture.pathIn(artefact, name))).mode & 0o7777).toString(8);
    const isCopied = process.getuid?.() === 0;
    expect([await mode('.'), await mode('a'), await mode('a/b'), await mode('tool')]).toEqual(
      isCopied ? ['775', '775', '664', '775'] : ['555', '555', '444', '555'],
    );
  });

  it('is kept while it is retained, and for a while when it is new', async () => {
    fixture = await BuildsFixture.start();
    const [kept, old, fresh] = [
      await build({ a: '1' }, 'a'),
      await build({ a: '2' }, 'a'),
      await build({ a: '3' }, 'a'),
    ];
    const before = new Date(Date.now() - 3_600_000);
    for (const { reference } of [kept, old])
      await utimes(join(fixture.home, 'artefacts', reference, 'artefact.json'), before, before);
    await fixture.here.builds.retainArtefacts(new Set([kept.reference]));
    expect(await fixture.read(kept, 'a')).toBe('1');
    expect(await fixture.read(fresh, 'a')).toBe('3');
    await expect(fixture.here.launchOf(old.reference, 'a')).rejects.toThrow(
      'the artefact of this release no longer exists',
    );
  });
});
