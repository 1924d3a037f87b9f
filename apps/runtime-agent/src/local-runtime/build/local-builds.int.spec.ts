import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { BuildFailed } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { BuildsFixture } from './testing/builds-fixture.js';

const server = { 'server.js': 'require("node:http").createServer((_, r) => r.end("hi")).listen(process.env.PORT)' };

describe('A build', () => {
  let fixture: BuildsFixture;
  afterEach(() => fixture.stop());

  it('runs the build command in the commit and keeps the artefact', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({ 'in.txt': 'text' }, { buildCommand: 'tr a-z A-Z < in.txt > out.txt' });
    const artefact = await fixture.build(order);
    expect(artefact).toEqual({
      reference: order.deploymentId,
      commit: order.commit,
      description: { subject: 'as it is', author: expect.any(String) },
    });
    // The artefact keeps the description: the order may be repeated.
    expect(await fixture.build(order)).toEqual(artefact);
    expect(await fixture.read(artefact, 'out.txt')).toBe('TEXT');
    expect(await fixture.lines()).toEqual([
      `Fetching ${order.repositoryUrl} at ${order.commit}`,
      '$ tr a-z A-Z < in.txt > out.txt',
    ]);
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('installs and builds a Node.js project with the Node.js that runs Postern', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order(
      {
        ...server,
        'package.json': JSON.stringify({
          name: 'shop',
          version: '1.0.0',
          scripts: {
            build: 'node -e "fs.writeFileSync(\'version\', process.version)" && tool > output',
            start: 'node server.js',
          },
          devDependencies: { tool: 'file:./tool' },
        }),
        'tool/package.json': JSON.stringify({ name: 'tool', version: '1.0.0', bin: './tool.js' }),
        'tool/tool.js': '#!/usr/bin/env node\nconsole.log("built by", process.env.NODE_ENV)',
      },
      { startCommand: undefined, environment: { NODE_ENV: 'production' } },
    );
    const artefact = await fixture.build(order);
    expect(await fixture.read(artefact, 'version')).toBe(process.version);
    expect(await fixture.read(artefact, 'output')).toBe('built by production\n');
    expect((await fixture.lines()).slice(1, 4)).toEqual([
      'no lock file found: npm install',
      'package.json has a build script: npm run build',
      '$ npm install && npm run build --if-present',
    ]);
  });

  it('installs nothing for a project without dependencies and build script', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({ ...server, 'package.json': '{"scripts": {"start": "node server.js"}}' });
    await fixture.build({ ...order, startCommand: undefined });
    expect(await fixture.lines()).toEqual([
      `Fetching ${order.repositoryUrl} at ${order.commit}`,
      'package.json without packages found: nothing is installed',
      'Starts by: node server.js',
    ]);
  });

  it('gets the variables of the web service and the registry of the host, but no secrets of Postern', async () => {
    fixture = await BuildsFixture.start({
      variables: {
        ...process.env,
        POSTERN_ENCRYPTION_KEYS: 'never',
        npm_config_registry: 'http://registry.example',
        HTTPS_PROXY: 'http://ada:secret@proxy.example',
      },
    });
    const order = await fixture.order({}, { buildCommand: 'env > env.txt', environment: { COLOUR: 'green' } });
    const lines = (await fixture.read(await fixture.build(order), 'env.txt')).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining(['COLOUR=green', 'CI=true', 'npm_config_registry=http://registry.example']),
    );
    expect(lines.filter(line => /never|secret/.test(line))).toEqual([]);
    expect(lines).toEqual(expect.arrayContaining(['HOME=/home/app', 'TMPDIR=/tmp', 'PWD=/app']));
  });

  it('masks secrets in its output and in the logged command', async () => {
    fixture = await BuildsFixture.start();
    const secrets = ['s3cret-value'];
    const buildCommand =
      'echo "$KEY"; printf s3cret; sleep 0.1; echo -value; printf %s "$KEY" | base64; echo s3cret-value >&2';
    await fixture.build(await fixture.order({}, { buildCommand, secrets, environment: { KEY: 's3cret-value' } }));
    const lines = (await fixture.lines()).slice(2);
    expect(lines.toSorted()).toEqual(Array.from({ length: 4 }, () => '********'));
    expect((await fixture.lines())[1]).toMatch(/echo \*{8} >&2$/);
  });

  it('masks a secret in its output and in its failure if output of the other stream separates its parts', async () => {
    fixture = await BuildsFixture.start();
    const buildCommand = `sh loop.sh; exit 3`;
    const files = { 'loop.sh': 'for i in $(seq 200); do printf s3cret; echo other >&2; echo -value; done\n' };
    const failure = await fixture.build(await fixture.order(files, { buildCommand, secrets: ['s3cret-value'] })).then(
      () => 'it was built',
      (error: Error) => error.message,
    );
    const lines = (await fixture.lines()).slice(2);
    expect(new Set(lines)).toEqual(new Set(['other', '********']));
    expect(failure).toMatch(/^the build command exited with code 3(\n(other|\*{8}))+$/);
  });

  it('fails with the exit code of its command, and keeps the output', async () => {
    fixture = await BuildsFixture.start();
    const failure = fixture.build(await fixture.order({}, { buildCommand: 'echo out; echo wrong >&2; exit 3' }));
    await expect(failure).rejects.toBeInstanceOf(BuildFailed);
    await expect(failure).rejects.toThrow('the build command exited with code 3\nout\nwrong');
    expect(await fixture.lines()).toEqual(expect.arrayContaining(['out', 'wrong']));
    expect(await fixture.leftovers()).toEqual([]);
  });

  it.each([
    ['the variable that .npmrc uses', {}, 'set the variable NPM_TOKEN, which .npmrc uses'],
    ['credentials, if the variable is set', { NPM_TOKEN: 'x' }, 'set a variable with its credentials'],
  ])('that a package registry refuses names its host and %s', async (_, environment, advice) => {
    fixture = await BuildsFixture.start();
    const buildCommand = 'echo "npm error 401 Unauthorized - GET https://npm.example.com/@ada%2fshop" >&2; exit 1';
    const files = { '.npmrc': '//npm.example.com/:_authToken=$' + '{NPM_TOKEN}\n' };
    const failure = fixture.build(await fixture.order(files, { buildCommand, environment }));
    await expect(failure).rejects.toThrow(new RegExp(`^npm\\.example\\.com refused a download .*401.*: ${advice}`));
  });

  it('fails with the cause of a command that is not there, and masks secrets in it', async () => {
    fixture = await BuildsFixture.start();
    const command = { buildCommand: 'echo "key s3cret-value"; no-such-tool', secrets: ['s3cret-value'] };
    await expect(fixture.build(await fixture.order({}, command))).rejects.toThrow(
      /^the build command exited with code 127\nkey \*{8}\n.*no-such-tool: (?:command )?not found$/,
    );
  });

  it('fails without a start command, and advises to set one', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({ 'package.json': '{"scripts": {}}' }, { startCommand: undefined });
    await expect(fixture.build(order)).rejects.toThrow(/^no start command: set one/);
    await expect(fixture.artefacts.metadataOf(order.deploymentId)).resolves.toBeUndefined();
  });

  it('returns the existing artefact when it is requested again', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({}, { buildCommand: 'echo built' });
    const artefact = await fixture.build(order);
    expect(await fixture.build({ ...order, repositoryUrl: 'file:///gone' })).toEqual(artefact);
    expect((await fixture.lines()).filter(line => line === 'built')).toHaveLength(1);
  });

  it('waits for the previous build, and leaves the queue when it is cancelled', async () => {
    fixture = await BuildsFixture.start();
    const first = new AbortController();
    const one = fixture.build(await fixture.order({}, { buildCommand: 'echo begun; sleep 60' }), first.signal);
    await waitFor(async () => (await fixture.lines()).includes('begun'));
    const second = new AbortController();
    const two = fixture.build(await fixture.order({}, { buildCommand: 'echo second' }), second.signal);
    const three = fixture.build(await fixture.order({}, { buildCommand: 'echo third' }));
    second.abort(new Error('superseded'));
    await expect(two).rejects.toThrow('superseded');
    expect(await fixture.pids()).not.toEqual([]);
    first.abort(new Error('cancelled'));
    await expect(one).rejects.toThrow('cancelled');
    await three;
    expect((await fixture.lines()).filter(line => /^(second|third)$/.test(line))).toEqual(['third']);
  });

  it('keeps a limited amount of output and continues', async () => {
    fixture = await BuildsFixture.start({ limits: { outputBytes: 2 ** 20 } });
    const order = await fixture.order(
      {},
      { buildCommand: 'yes a-line-of-a-flood | head -c 50000000; echo done > done' },
    );
    const artefact = await fixture.build(order);
    expect(await fixture.read(artefact, 'done')).toBe('done\n');
    expect((await fixture.lines()).at(-1)).toBe('Output beyond 1 MiB is not kept; the build continues');
  });

  it('cannot list other builds, logs and web services if it runs as a separate user', async () => {
    fixture = await BuildsFixture.start();
    await fixture.build(await fixture.order({}, { buildCommand: 'echo earlier' }));
    const folders = ['', 'artefacts', 'builds', 'cache', 'logs'].map(name => `${fixture.home}/${name}`).join(' ');
    const list = `for folder in ${folders}; do ls $folder && echo "seen $folder"; done; id -u; true`;
    await fixture.build(await fixture.order({}, { buildCommand: list }));
    const seen = (await fixture.lines()).filter(line => line.startsWith('seen '));
    expect(seen).toHaveLength(process.getuid?.() === 0 ? 0 : 5);
  });

  it('keeps the packages of a web service for its next build, up to a limit', async () => {
    fixture = await BuildsFixture.start({ limits: { cacheBytes: 2 ** 20 } });
    const remember = 'mkdir -p "$npm_config_cache"; ls "$npm_config_cache" > seen; ';
    const build = async (command: string) =>
      fixture.read(await fixture.build(await fixture.order({}, { buildCommand: remember + command })), 'seen');
    expect(await build('echo kept > "$npm_config_cache/kept"')).toBe('');
    expect(await build('head -c 2000000 /dev/zero > "$npm_config_cache/large"')).toBe('kept\n');
    expect(await build('true')).toBe('');
  });

  it('starts with an empty cache on request, and again if the cache is damaged', async () => {
    fixture = await BuildsFixture.start();
    const buildCommand =
      'mkdir -p "$npm_config_cache"; ls "$npm_config_cache" > seen; touch "$npm_config_cache/kept"; ' +
      '! [ -e "$npm_config_cache/broken" ] || { echo "npm error code EINTEGRITY"; exit 1; }; $AFTER';
    const build = async (AFTER: string, clearCache = false) => {
      const order = await fixture.order({}, { buildCommand, environment: { AFTER }, clearCache });
      return fixture.read(await fixture.build(order), 'seen');
    };
    expect(await build('true')).toBe('');
    expect(await build('true')).toBe('kept\n');
    expect(await build('true', true)).toBe('');
    expect(await build('touch /cache/npm/broken')).toBe('kept\n');
    expect(await build('true')).toBe('');
    expect(await fixture.lines()).toContain(
      'The build cache is damaged: the build command runs again with an empty one',
    );
  });

  it('leaves no files of a removed web service, and keeps those of others', async () => {
    fixture = await BuildsFixture.start();
    const kept = await fixture.build(await fixture.order({ text: 'kept' }, { webServiceId: 'other' }));
    const fill = 'mkdir -p "$npm_config_cache"; echo full > "$npm_config_cache/full"';
    const gone = await fixture.build(await fixture.order({ text: 'gone' }, { buildCommand: fill }));
    const { builds } = fixture.here;
    await builds.remove(fixture.webServiceId);
    await expect(fixture.read(gone, 'text')).rejects.toThrow('ENOENT');
    expect(await fixture.read(kept, 'text')).toBe('kept');
    // Log lines belong to the log store. Links are not followed, because those in a sandbox root lead out of the home.
    const entries = await readdir(fixture.home, { recursive: true, withFileTypes: true });
    const left = entries.map(({ parentPath, name }) => relative(fixture.home, join(parentPath, name)));
    const { reference } = gone;
    const ofIt = left.filter(path => path.includes(fixture.webServiceId) || path.includes(reference));
    expect(ofIt.filter(path => !path.startsWith('logs'))).toEqual([]);
    expect(ofIt).not.toEqual([]);
    await builds.remove(fixture.webServiceId);
    // Two builds, and a recursive listing of the home with its sandbox root.
  }, 60_000);
});
