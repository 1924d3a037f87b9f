import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServicePlan } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { environmentOf, processEntry } from '../../infrastructure/process-table.js';
import type { Held } from '../testing/local-runtime-assembly.js';
import { LocalRuntimeFixture } from '../testing/local-runtime-fixture.js';
import { server } from '../testing/servers.js';
import { temporaryFolder } from './instance-environment.js';

const never = new AbortController().signal;

describe.each<Held>(['by all means', 'by marks alone'])('An instance (confinement: %s)', held => {
  let fixture: LocalRuntimeFixture;
  beforeEach(async () => {
    fixture = await LocalRuntimeFixture.start({ held, limits: { memoryBytes: 150 * 2 ** 20 } });
  });
  afterEach(() => fixture.stop());

  const runs = async (code: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> => {
    const plan = await fixture.plan(code, changes);
    await fixture.runtime.roll(plan, never);
    return plan;
  };

  const statusOf = ({ webServiceId }: ServicePlan) => fixture.runtime.statusOf(webServiceId);

  /** Waits for an answer other than `before`, which is from another instance. */
  const successorOf = (plan: ServicePlan, before: string): Promise<string> =>
    waitFor(
      async () => {
        const { status, body } = await fixture.visit(plan);
        return status === 200 && body !== before ? body : undefined;
      },
      { describe: 'another instance to answer', timeoutMs: 15_000 },
    );

  /** The process ids of `ignoringSigterm` and its child outside the sandbox. */
  const processesOf = async (plan: ServicePlan): Promise<readonly number[]> => {
    const numbers = (await fixture.visit(plan)).body.split(' ').map(Number);
    expect(numbers).toHaveLength(2);
    return Promise.all(numbers.map(number => fixture.pidOf(number)));
  };

  it('has the user variables, its port and its own folders in its environment, and nothing of the platform', async () => {
    process.env['POSTERN_PLANTED'] = 'not for instances';
    const plan = await runs(server.environment, {
      environment: { GREETING: 'hello', PORT: '80', RACK_ENV: 'staging' },
    });
    delete process.env['POSTERN_PLANTED'];
    const seen = JSON.parse((await fixture.visit(plan)).body) as Record<string, string>;
    const [record] = await fixture.records(plan);
    expect(Object.keys(seen).sort()).toEqual(
      [
        ...['GREETING', 'HOME', 'LANG', 'PATH', 'PORT', 'POSTERN_INSTANCE', 'POSTERN_URL', 'TMPDIR', 'cwd', 'PWD'],
        ...['NODE_ENV', 'RAILS_ENV', 'RACK_ENV', 'PYTHONUNBUFFERED'],
      ].sort(),
    );
    expect(seen).toMatchObject({ GREETING: 'hello', PORT: String(record?.port), POSTERN_INSTANCE: record?.id });
    expect(seen).toMatchObject({ NODE_ENV: 'production', RAILS_ENV: 'production', RACK_ENV: 'staging' });
    const folder = fixture.instanceRecords.folderOf(record!.id);
    const own = { HOME: join(folder, 'area/home'), TMPDIR: join(folder, 'area/tmp') };
    const artefact = join(fixture.home, 'artefacts', plan.artefact.reference);
    expect(seen).toMatchObject(
      held === 'by all means'
        ? { HOME: '/home/app', TMPDIR: '/tmp', cwd: '/app' }
        : { ...own, cwd: await realpath(artefact) },
    );
  });

  it('gets no traffic while another process answers at its port instead of it', async () => {
    const plan = await fixture.plan(server.silent, { deadlineMs: 5_000 });
    const rolled = fixture.runtime.roll(plan, never).then(
      () => 'live',
      (error: Error) => error.message,
    );
    const port = await waitFor(async () => (await fixture.records(plan)).find(({ process }) => process)?.port);
    const stranger = createServer(socket => socket.end()).listen(port, '0.0.0.0');
    await once(stranger, 'listening');
    expect(await rolled).toContain('connection refused');
    stranger.close();
  });

  it('is replaced after a crash, and the status contains the reason', async () => {
    const plan = await runs(server.crashing);
    const first = (await fixture.visit(plan)).body;
    await fixture.visit(plan, '/crash', { method: 'POST' }).catch(() => {});
    await successorOf(plan, first);
    const status = await waitFor(async () => ((await statusOf(plan))?.healthy === 1 ? statusOf(plan) : undefined));
    expect(status).toMatchObject({ rollId: plan.rollId, instances: 1 });
    expect(status?.lastFailure).toMatch(/^web-[0-9a-f]{4} exited with code 7\nout of luck$/);
  });

  it('does not affect other instances when it crashes', async () => {
    const plan = await runs(server.crashing, { minInstances: 2, maxInstances: 2 });
    await fixture.visit(plan, '/crash', { method: 'POST' }).catch(() => {});
    for (let visit = 0; visit < 20; visit += 1) expect((await fixture.visit(plan)).status).toBe(200);
    await waitFor(async () => (await statusOf(plan))?.healthy === 2, { describe: 'both instances' });
  });

  it('gets no traffic while its health check fails, and is replaced if it keeps failing', async () => {
    const plan = await runs(server.withStatus, { healthCheckPath: '/' });
    const first = (await fixture.visit(plan)).body;
    await fixture.visit(plan, '/become/500');
    await waitFor(async () => (await statusOf(plan))?.healthy === 0, { describe: 'no healthy instance' });
    await waitFor(async () => (await fixture.visit(plan)).status === 503, { describe: 'no traffic' });
    await successorOf(plan, first);
    expect((await statusOf(plan))?.lastFailure).toMatch(/stopped responding: GET \/ answered 500 to the Host \S+$/m);
  });

  it('gets traffic again when its health check recovers in time', async () => {
    const plan = await runs(server.withStatus, { healthCheckPath: '/' });
    const first = (await fixture.visit(plan)).body;
    const [record] = await fixture.records(plan);
    await fixture.visit(plan, '/become/500');
    await waitFor(async () => (await statusOf(plan))?.healthy === 0, { describe: 'no healthy instance' });
    await fetch(`http://${record?.host ?? '127.0.0.1'}:${record?.port}/become/200`);
    await waitFor(async () => (await fixture.visit(plan)).body === first, { describe: 'traffic again' });
  });

  it('is killed when it ignores SIGTERM, together with its child in another session', async () => {
    const plan = await runs(server.ignoringSigterm);
    const processes = await processesOf(plan);
    for (const pid of processes) expect(processEntry(pid)).toBeDefined();
    await fixture.runtime.stop(plan.webServiceId);
    for (const pid of processes) expect(processEntry(pid)).toBeUndefined();
    expect(await fixture.instanceRecords.ids()).toEqual([]);
  });

  it('has its child process killed when it crashes', async () => {
    const plan = await runs(server.ignoringSigterm);
    const [parent, child] = await processesOf(plan);
    process.kill(parent!, 'SIGKILL');
    await waitFor(async () => !(await fixture.pids()).includes(child!), { describe: 'its child to be gone' });
    await waitFor(async () => (await statusOf(plan))?.lastFailure?.includes('was killed by SIGKILL'));
  });

  it('is replaced when it exceeds its memory limit, and the status contains the reason', async () => {
    const plan = await runs(server.allocating);
    const first = (await fixture.visit(plan)).body;
    await fixture.visit(plan, '/eat?200').catch(() => {});
    await successorOf(plan, first);
    expect((await statusOf(plan))?.lastFailure).toMatch(/used more than 150 MiB/);
  });

  it('loses lines when it floods its log, without growing the memory of the platform or affecting other services', async () => {
    const plan = await runs(server.printing);
    const other = await runs(server.printing);
    const before = process.memoryUsage().rss;
    const flood = fixture.visit(plan, `/flood?${50 * 2 ** 20}`);
    await fixture.visit(other, '/say?still%20here');
    await waitFor(async () => (await fixture.messages(other)).includes('still here'), { describe: 'the other line' });
    await flood;
    await waitFor(async () => (await fixture.messages(plan)).some(line => /log lines were dropped/.test(line)));
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20);
    expect((await fixture.visit(plan)).status).toBe(200);
  });

  it('has its secrets masked in its log lines', async () => {
    const plan = await runs(server.printing, { environment: { KEY: 'abracadabra' }, secrets: ['abracadabra'] });
    await fixture.visit(plan, '/say?the%20key%20is%20abracadabra');
    await waitFor(async () => (await fixture.messages(plan)).includes('the key is ********'), { describe: 'the line' });
  });

  it('has its last output in the log when it crashes', async () => {
    const plan = await runs(server.crashing);
    await fixture.visit(plan, '/crash', { method: 'POST' }).catch(() => {});
    await waitFor(async () => (await fixture.messages(plan)).includes('out of luck'), { describe: 'its last words' });
  });

  it('has its CPU and memory usage measured', async () => {
    const plan = await runs(server.busy);
    await fixture.visit(plan, '/work');
    const busy = await waitFor(
      async () => (await fixture.runtime.usage()).find(({ cpuMillicores }) => cpuMillicores > 300),
      { describe: 'a busy instance' },
    );
    expect(busy).toMatchObject({ webServiceId: plan.webServiceId, instances: 1 });
    expect(busy.cpuPercent).toBeCloseTo(busy.cpuMillicores / 10, 0);
    expect(busy.memoryBytes).toBeGreaterThan(20 * 2 ** 20);
    expect(busy.memoryPercent).toBeCloseTo((busy.memoryBytes / (150 * 2 ** 20)) * 100, 5);
  });
});

describe('The variables of a web service', () => {
  let fixture: LocalRuntimeFixture;
  beforeEach(async () => {
    fixture = await LocalRuntimeFixture.start();
  });
  afterEach(() => fixture.stop());

  it('run no code of the user with the privileges of the platform', async () => {
    const plan = await fixture.plan(server.environment);
    const outside = join(fixture.home, 'trap');
    const seenOutside = join(outside, 'seen');
    await mkdir(seenOutside, { recursive: true });
    await chmod(seenOutside, 0o777);
    // Each of these programs records the user that it runs as: those in the home of the platform catch what is started
    // before the sandbox, those in the artefact what is started in it.
    const setTrap = async (folder: string, seen: string) => {
      for (const name of [
        'sh',
        'unshare',
        'mount',
        'chroot',
        'setpriv',
        'prlimit',
        'nice',
        'cat',
        'sleep',
        'env',
        'perl',
      ]) {
        const script = `#!/bin/sh\n/usr/bin/id -u > ${seen}/trapped-${name}\nPATH=/usr/bin:/bin exec ${name} "$@"\n`;
        await writeFile(join(folder, name), script, { mode: 0o755 });
      }
    };
    await setTrap(outside, seenOutside);
    const inside = join(fixture.home, 'artefacts', plan.artefact.reference, 'trap');
    await mkdir(inside);
    await setTrap(inside, '/tmp');
    const script = join(fixture.home, 'artefacts', plan.artefact.reference, 'start.sh');
    await writeFile(script, '/usr/bin/id -u > /tmp/trapped-script\n');
    const environment = {
      PATH: `${outside}:/app/trap:${dirname(process.execPath)}:/usr/bin:/bin`,
      LD_PRELOAD: '/app/none.so',
      LD_LIBRARY_PATH: '/app/libraries',
      NODE_OPTIONS: '--no-warnings',
      BASH_ENV: '/app/start.sh',
      ENV: '/app/start.sh',
    };
    await fixture.runtime.roll({ ...plan, environment }, never);
    expect(JSON.parse((await fixture.visit(plan)).body)).toMatchObject(environment);

    const [record] = await fixture.records(plan);
    const processes = await Promise.all(
      (await fixture.pids()).map(async pid => {
        const status = await readFile(`/proc/${pid}/status`, 'latin1');
        return { pid, user: /^Uid:\t(\d+)/m.exec(status)?.[1], names: [...((await environmentOf(pid))?.keys() ?? [])] };
      }),
    );
    const service = processes.filter(({ names }) => names.includes('LD_PRELOAD'));
    const user = service[0]?.user;
    expect(user).toMatch(/^[1-9]\d*$/);
    expect(new Set(service.map(each => each.user))).toEqual(new Set([user]));
    // Other processes have the marker and the common variables, but none of the user's.
    const others = processes.filter(({ names }) => !names.includes('LD_PRELOAD'));
    for (const { names } of others)
      expect(names.filter(name => name !== 'PATH' && Object.hasOwn(environment, name))).toEqual([]);
    // Its temporary files may be mounted for its processes only.
    const temporary = record?.isBoxed
      ? `/proc/${service[0]?.pid}/root/tmp`
      : temporaryFolder(fixture.instanceRecords.folderOf(record!.id));
    const trapped = await Promise.all(
      [seenOutside, temporary].map(async folder => {
        const names = (await readdir(folder)).filter(name => name.startsWith('trapped-'));
        return Promise.all(names.map(name => readFile(join(folder, name), 'utf8')));
      }),
    );
    expect(trapped.flat().filter(each => each.trim() !== user)).toEqual([]);
  });
});
