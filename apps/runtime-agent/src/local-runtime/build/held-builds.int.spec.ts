import { readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { BuildsFixture, type BuildsFixtureOptions, silence } from './testing/builds-fixture.js';

/** Command lines of all processes of this host that match the pattern. */
const running = async (pattern: RegExp): Promise<readonly string[]> => {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.map(line => line.replaceAll('\0', ' ').trim()).filter(line => pattern.test(line));
};

describe('A build with a separate user or control group', () => {
  it.each([
    { users: true, cgroups: false },
    { users: false, cgroups: true },
  ])('leaves no process that cleared its environment and left its session: %j', async use => {
    const fixture = await BuildsFixture.start({ use });
    const escaping = 'for i in 1 2 3; do (setsid env -i sh -c "setsid sleep 31$i &" &); done; sleep 0.3; echo done';
    const order = await fixture.order({}, { buildCommand: escaping });
    await fixture.build(order);
    expect(await running(/^sleep 31[123]$/)).toEqual([]);
    await fixture.stop();
  });
});

describe.each<readonly [string, BuildsFixtureOptions]>([
  ['by users and control groups', {}],
  ['by users alone', { use: { cgroups: false } }],
  ['by a Postern that runs as an unprivileged user', { as: 54_321 }],
])('A build isolated %s', (_, options) => {
  let fixture: BuildsFixture;
  afterEach(() => fixture.stop());

  it('is stopped at its deadline, even if it ignores SIGTERM', async () => {
    fixture = await BuildsFixture.start(options);
    const buildCommand = 'trap "" TERM INT HUP; echo begun; while true; do sleep 0.1; done';
    const order = await fixture.order({}, { buildCommand, deadlineMs: 3_000 });
    await expect(fixture.build(order)).rejects.toThrow('the build did not finish within 3 s');
    expect(await fixture.pids()).toEqual([]);
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('is cancelled with all processes that left its group, ignore SIGTERM or lost their parent', async () => {
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

  it('leaves no process running when it succeeds', async () => {
    fixture = await BuildsFixture.start(options);
    const order = await fixture.order({}, { buildCommand: 'setsid sleep 306 & nohup sleep 307 & echo done' });
    await fixture.build(order);
    expect(await fixture.pids()).toEqual([]);
  });

  it('is stopped when it exceeds its memory limit', async () => {
    fixture = await BuildsFixture.start({ ...options, limits: { memoryBytes: 200 * 2 ** 20, watchMs: 50 } });
    const hog = 'const held = []; setInterval(() => held.push(Buffer.alloc(8 << 20, 1)), 10)';
    const order = await fixture.order({ 'hog.js': hog }, { buildCommand: 'node hog.js' });
    await expect(fixture.build(order)).rejects.toThrow('the build used more than 200 MiB of memory');
    expect(await fixture.pids()).toEqual([]);
  });

  it('is stopped when it exceeds its process limit', async () => {
    fixture = await BuildsFixture.start({ ...options, limits: { tasks: 60, watchMs: 50 } });
    // Finite, because the test verifies that another limit applies.
    const bomb = 'i=0; while [ $i -lt 200 ]; do sleep 60 & i=$((i + 1)); done; sleep 60';
    const failure = fixture.build(await fixture.order({}, { buildCommand: bomb }));
    // Without control groups, fork may fail in the shell before the check.
    await expect(failure).rejects.toThrow(/the build started more than 60 processes|exited with code 2/);
    expect(await fixture.pids()).toEqual([]);
  });

  it('is stopped when it exceeds its disk limit, with one file or many', async () => {
    fixture = await BuildsFixture.start({ ...options, limits: { diskBytes: 20 * 2 ** 20, watchMs: 50 } });
    const many = 'while true; do head -c 1000000 /dev/zero > $(date +%N); done';
    await expect(fixture.build(await fixture.order({}, { buildCommand: many }))).rejects.toThrow(
      'the build wrote more than 20 MiB',
    );
    const one = fixture.build(await fixture.order({}, { buildCommand: 'exec head -c 100000000 /dev/zero > large' }));
    await expect(one).rejects.toThrow(/the build wrote more than 20 MiB|was killed by SIGXFSZ/);
    const tiny = 'i=0; while [ $i -lt 20000 ]; do : > file$i; i=$((i + 1)); done; sleep 60';
    const countless = fixture.build(await fixture.order({}, { buildCommand: tiny }));
    await expect(countless).rejects.toThrow('the build wrote more than 2560 files');
    expect(await fixture.leftovers()).toEqual([]);
  });

  it('is refused while the disk is nearly full', async () => {
    fixture = await BuildsFixture.start({ ...options, limits: { freeBytes: 2 ** 60 } });
    await expect(fixture.build(await fixture.order({}))).rejects.toThrow(/^the disk is nearly full: less than \d+ MiB/);
  });

  it('that was interrupted is stopped and deleted at the next start', async () => {
    fixture = await BuildsFixture.start(options);
    const elsewhere = await fixture.elsewhere();
    const order = await fixture.order(
      {},
      { buildCommand: 'trap "" TERM PIPE HUP; setsid sleep 308 & echo begun; sleep 309' },
    );
    const cutOff = elsewhere.build(order, silence, new AbortController().signal);
    cutOff.catch(() => {});
    // A sandbox adds the processes of its launcher.
    await waitFor(async () => (await fixture.lines()).includes('begun') && (await fixture.pids()).length >= 3);
    await elsewhere.kill();
    await expect(cutOff).rejects.toThrow('the platform process ended');
    expect((await fixture.pids()).length).toBeGreaterThanOrEqual(3);
    await fixture.builds.reconcile();
    expect(await fixture.pids()).toEqual([]);
    expect(await fixture.leftovers()).toEqual([]);
    expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(fixture.home);
    expect(await fixture.build({ ...order, buildCommand: 'true' })).toHaveProperty('reference', order.deploymentId);
  });

  it('is not affected by a reconciliation while it runs', async () => {
    fixture = await BuildsFixture.start(options);
    const build = fixture.build(await fixture.order({}, { buildCommand: 'echo begun; sleep 1; echo done' }));
    await waitFor(async () => (await fixture.lines()).includes('begun'));
    await fixture.builds.reconcile();
    await expect(build).resolves.toBeDefined();
  });

  it('lowers the CPU priority of its processes and its session, so that web services come first', async () => {
    fixture = await BuildsFixture.start(options);
    const buildCommand =
      'until [ ! -e /proc/self/autogroup ] || grep -q "nice 10$" /proc/self/autogroup; do sleep 0.05; done; nice';
    await fixture.build(await fixture.order({}, { buildCommand }));
    // Relative to the priority of this process, which may be lowered too.
    expect(await fixture.lines()).toContain(String(Math.min(getPriority() + 10, 19)));
  });

  it('cannot change the artefact of an earlier build', async () => {
    fixture = await BuildsFixture.start(options);
    const artefact = await fixture.build(await fixture.order({ text: 'first' }));
    const path = fixture.pathIn(artefact, 'text');
    const order = await fixture.order({}, { buildCommand: `echo second > ${path}` });
    await expect(fixture.build(order)).rejects.toThrow('exited with code');
    expect(await fixture.read(artefact, 'text')).toBe('first');
  });
});
