import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { BuildFailed } from '../../../ports/runtime.js';
import { BuildsFixture, type Circumstances, silence } from './testing/builds-fixture.js';

const server = { 'server.js': 'require("node:http").createServer((_, r) => r.end("hi")).listen(process.env.PORT)' };

describe('A build', () => {
  let fixture: BuildsFixture;
  afterEach(() => fixture.stop());

  it('runs the build command in the commit and keeps what came out', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({ 'in.txt': 'text' }, { buildCommand: 'tr a-z A-Z < in.txt > out.txt' });
    const artefact = await fixture.build(order);
    expect(artefact).toEqual({ reference: order.deploymentId, commit: order.commit });
    expect(await fixture.read(artefact, 'out.txt')).toBe('TEXT');
    expect(await fixture.lines()).toEqual([
      `Fetching ${order.repositoryUrl} at ${order.commit}`,
      '$ tr a-z A-Z < in.txt > out.txt',
    ]);
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('installs and builds a Node.js project on the Node.js that runs the platform', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order(
      {
        ...server,
        'package.json': JSON.stringify({
          name: 'shop',
          version: '1.0.0',
          scripts: {
            build: 'node -e "fs.writeFileSync(\'version\', process.version)" && tool > said',
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
    expect(await fixture.read(artefact, 'said')).toBe('built by production\n');
    expect((await fixture.lines())[1]).toBe('$ npm install && npm run build --if-present');
  });

  it('does nothing to a project without dependencies and build script', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({ ...server, 'package.json': '{"scripts": {"start": "node server.js"}}' });
    await fixture.build({ ...order, startCommand: undefined });
    expect(await fixture.lines()).toHaveLength(1);
  });

  it('hands over the variables of the service and nothing of the platform’s', async () => {
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
    const { workspace } = /^HOME=(?<workspace>.*)\/home$/.exec(lines.find(line => line.startsWith('HOME=')) ?? '')!
      .groups!;
    expect(workspace).toContain(`${fixture.home}/builds/`);
    expect(lines).toContain(`TMPDIR=${workspace}/tmp`);
  });

  it('masks secrets in what it says, and in the command that is shown', async () => {
    fixture = await BuildsFixture.start();
    const secrets = ['s3cret-value'];
    const buildCommand =
      'echo "$KEY"; printf s3cret; sleep 0.1; echo -value; printf %s "$KEY" | base64; echo s3cret-value >&2';
    await fixture.build(await fixture.order({}, { buildCommand, secrets, environment: { KEY: 's3cret-value' } }));
    const said = (await fixture.lines()).slice(2);
    expect(said.toSorted()).toEqual(Array.from({ length: 4 }, () => '********'));
    expect((await fixture.lines())[1]).toMatch(/echo \*{8} >&2$/);
  });

  it('fails with the exit code of its command, and keeps its words', async () => {
    fixture = await BuildsFixture.start();
    const failure = fixture.build(await fixture.order({}, { buildCommand: 'echo out; echo wrong >&2; exit 3' }));
    await expect(failure).rejects.toBeInstanceOf(BuildFailed);
    await expect(failure).rejects.toThrow('the build command exited with code 3');
    expect(await fixture.lines()).toEqual(expect.arrayContaining(['out', 'wrong']));
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('fails when nothing starts what came out, and says what would', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({ 'package.json': '{"scripts": {}}' }, { startCommand: undefined });
    await expect(fixture.build(order)).rejects.toThrow(/^nothing starts this service: give it a start command/);
    await expect(fixture.artefacts.metadataOf(order.deploymentId)).resolves.toBeUndefined();
  });

  it('answers at once when it is asked for again after it was done', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({}, { buildCommand: 'echo built' });
    const artefact = await fixture.build(order);
    expect(await fixture.build({ ...order, repositoryUrl: 'file:///gone' })).toEqual(artefact);
    expect((await fixture.lines()).filter(line => line === 'built')).toHaveLength(1);
  });

  it('waits for the one before it, and leaves the queue when it is cancelled', async () => {
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

  it('tells a flood of output apart from what is worth keeping, and goes on', async () => {
    fixture = await BuildsFixture.start({ limits: { outputBytes: 2 ** 20 } });
    const order = await fixture.order(
      {},
      { buildCommand: 'yes a-line-of-a-flood | head -c 50000000; echo done > done' },
    );
    const artefact = await fixture.build(order);
    expect(await fixture.read(artefact, 'done')).toBe('done\n');
    expect((await fixture.lines()).at(-1)).toBe('Output beyond 1 MiB is not kept; the build goes on');
  });

  it('keeps the packages of a service for its next build, within bounds', async () => {
    fixture = await BuildsFixture.start({ limits: { cacheBytes: 2 ** 20 } });
    const remember = 'mkdir -p "$npm_config_cache"; ls "$npm_config_cache" > seen; ';
    const build = async (command: string) =>
      fixture.read(await fixture.build(await fixture.order({}, { buildCommand: remember + command })), 'seen');
    expect(await build('echo kept > "$npm_config_cache/kept"')).toBe('');
    expect(await build('head -c 2000000 /dev/zero > "$npm_config_cache/large"')).toBe('kept\n');
    expect(await build('true')).toBe('');
  });
});

describe.each<readonly [string, Circumstances]>([
  ['by users and control groups', {}],
  ['by users alone', { use: { cgroups: false } }],
  ['by a platform that is an ordinary user itself', { as: 54_321 }],
])('A build held %s', (_, options) => {
  let fixture: BuildsFixture;
  afterEach(() => fixture.stop());

  it('is over when its time is, even if it ignores SIGTERM', async () => {
    fixture = await BuildsFixture.start(options);
    const buildCommand = 'trap "" TERM INT HUP; echo begun; while true; do sleep 0.1; done';
    const order = await fixture.order({}, { buildCommand, deadlineMs: 3_000 });
    await expect(fixture.build(order)).rejects.toThrow('the build did not finish within 3 s');
    expect(await fixture.pids()).toEqual([]);
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('is cancelled together with whatever left its group, ignored SIGTERM or lost its parent', async () => {
    fixture = await BuildsFixture.start(options);
    const cancel = new AbortController();
    const buildCommand = `
      setsid sh -c 'trap "" TERM; echo one; exec sleep 301' &
      (setsid sh -c 'echo two; sleep 302 & sleep 303' &)
      nohup sleep 304 &
      sleep 305`;
    const build = fixture.build(await fixture.order({}, { buildCommand }), cancel.signal);
    await waitFor(async () => (await fixture.pids()).length >= 6);
    cancel.abort(new Error('cancelled'));
    await expect(build).rejects.toThrow('cancelled');
    expect(await fixture.pids()).toEqual([]);
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('leaves nothing running when it succeeds', async () => {
    fixture = await BuildsFixture.start(options);
    const order = await fixture.order({}, { buildCommand: 'setsid sleep 306 & nohup sleep 307 & echo done' });
    await fixture.build(order);
    expect(await fixture.pids()).toEqual([]);
  });

  it('is ended when it takes too much memory', async () => {
    fixture = await BuildsFixture.start({ ...options, limits: { memoryBytes: 200 * 2 ** 20, watchMs: 50 } });
    const hog = 'const held = []; setInterval(() => held.push(Buffer.alloc(8 << 20, 1)), 10)';
    const order = await fixture.order({ 'hog.js': hog }, { buildCommand: 'node hog.js' });
    await expect(fixture.build(order)).rejects.toThrow('the build used more than 200 MiB of memory');
    expect(await fixture.pids()).toEqual([]);
  });

  it('is ended when it wants too many processes', async () => {
    fixture = await BuildsFixture.start({ ...options, limits: { tasks: 60, watchMs: 50 } });
    // Bounded, because it is to be found out whether something else bounds it.
    const bomb = 'i=0; while [ $i -lt 200 ]; do sleep 60 & i=$((i + 1)); done; sleep 60';
    const failure = fixture.build(await fixture.order({}, { buildCommand: bomb }));
    // Without control groups the shell may find out first.
    await expect(failure).rejects.toThrow(/the build started more than 60 processes|exited with code 2/);
    expect(await fixture.pids()).toEqual([]);
  });

  it('is ended when it fills the disk, by one file or by many', async () => {
    fixture = await BuildsFixture.start({ ...options, limits: { diskBytes: 20 * 2 ** 20, watchMs: 50 } });
    const many = 'while true; do head -c 1000000 /dev/zero > $(date +%N); done';
    await expect(fixture.build(await fixture.order({}, { buildCommand: many }))).rejects.toThrow(
      'the build wrote more than 20 MiB',
    );
    const one = fixture.build(await fixture.order({}, { buildCommand: 'exec head -c 100000000 /dev/zero > large' }));
    await expect(one).rejects.toThrow(/the build wrote more than 20 MiB|was ended by SIGXFSZ/);
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('is refused while the disk is nearly full', async () => {
    fixture = await BuildsFixture.start({ ...options, limits: { freeBytes: 2 ** 60 } });
    await expect(fixture.build(await fixture.order({}))).rejects.toThrow(/^the disk is nearly full: less than \d+ MiB/);
  });

  it('that was cut off is ended and deleted at the next start', async () => {
    fixture = await BuildsFixture.start(options);
    const elsewhere = await fixture.elsewhere();
    const order = await fixture.order(
      {},
      { buildCommand: 'trap "" TERM PIPE HUP; setsid sleep 308 & echo begun; sleep 309' },
    );
    const cutOff = elsewhere.build(order, silence, new AbortController().signal);
    cutOff.catch(() => {});
    await waitFor(async () => (await fixture.lines()).includes('begun') && (await fixture.pids()).length === 3);
    await elsewhere.kill();
    await expect(cutOff).rejects.toThrow('the platform is gone');
    expect(await fixture.pids()).toHaveLength(3);
    await fixture.builds.reconcile();
    expect(await fixture.pids()).toEqual([]);
    expect(await fixture.leftovers()).toEqual([]);
    expect(await fixture.build({ ...order, buildCommand: 'true' })).toHaveProperty('reference', order.deploymentId);
  });

  it('is not touched by reconciling while it goes on', async () => {
    fixture = await BuildsFixture.start(options);
    const build = fixture.build(await fixture.order({}, { buildCommand: 'echo begun; sleep 1; echo done' }));
    await waitFor(async () => (await fixture.lines()).includes('begun'));
    await fixture.builds.reconcile();
    await expect(build).resolves.toBeDefined();
  });

  it('cannot change what an earlier one has made', async () => {
    fixture = await BuildsFixture.start(options);
    const artefact = await fixture.build(await fixture.order({ text: 'first' }));
    const path = fixture.pathIn(artefact, 'text');
    const order = await fixture.order({}, { buildCommand: `echo second > ${path}` });
    await expect(fixture.build(order)).rejects.toThrow('exited with code');
    expect(await fixture.read(artefact, 'text')).toBe('first');
  });
});
