import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServicePlan } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import type { Held } from '../testing/local-runtime-assembly.js';
import { LocalRuntimeFixture } from '../testing/local-runtime-fixture.js';
import { server } from '../testing/servers.js';
import { processEntry } from './process-table.js';

const never = new AbortController().signal;

describe.each<Held>(['by all means', 'by marks alone'])('An instance, held %s,', held => {
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

  /** The answer of another instance than the one that gave this answer. */
  const successorOf = (plan: ServicePlan, before: string): Promise<string> =>
    waitFor(
      async () => {
        const { status, body } = await fixture.visit(plan);
        return status === 200 && body !== before ? body : undefined;
      },
      { describe: 'another instance to answer', timeoutMs: 15_000 },
    );

  it('knows what its owner has set, its port, a place of its own, and nothing of the platform', async () => {
    process.env['POSTERN_PLANTED'] = 'not for instances';
    const plan = await runs(server.environment, { environment: { GREETING: 'hello', PORT: '80' } });
    delete process.env['POSTERN_PLANTED'];
    const seen = JSON.parse((await fixture.visit(plan)).body) as Record<string, string>;
    const [record] = await fixture.records(plan);
    expect(Object.keys(seen).sort()).toEqual(
      ['GREETING', 'HOME', 'LANG', 'PATH', 'PORT', 'POSTERN_INSTANCE', 'TMPDIR', 'cwd', 'PWD'].sort(),
    );
    expect(seen).toMatchObject({ GREETING: 'hello', PORT: String(record?.port), POSTERN_INSTANCE: record?.id });
    expect(seen['TMPDIR']).toContain(record?.id);
    expect(seen['cwd']).toContain(plan.artefact.reference);
  });

  it('that crashes is followed by another, and the status says why', async () => {
    const plan = await runs(server.crashing);
    const first = (await fixture.visit(plan)).body;
    await fixture.visit(plan, '/crash', { method: 'POST' }).catch(() => {});
    await successorOf(plan, first);
    const status = await waitFor(async () => ((await statusOf(plan))?.healthy === 1 ? statusOf(plan) : undefined));
    expect(status).toMatchObject({ rollId: plan.rollId, instances: 1 });
    expect(status?.lastFailure).toMatch(/^web-[0-9a-f]{4} exited with code 7\nout of luck$/);
  });

  it('that crashes costs the others nothing', async () => {
    const plan = await runs(server.crashing, { minInstances: 2, maxInstances: 2 });
    await fixture.visit(plan, '/crash', { method: 'POST' }).catch(() => {});
    for (let visit = 0; visit < 20; visit += 1) expect((await fixture.visit(plan)).status).toBe(200);
    await waitFor(async () => (await statusOf(plan))?.healthy === 2, { describe: 'both instances' });
  });

  it('that fails its health check gets no traffic, and is started anew when that does not end', async () => {
    const plan = await runs(server.moody, { healthCheckPath: '/' });
    const first = (await fixture.visit(plan)).body;
    await fixture.visit(plan, '/become/500');
    await waitFor(async () => (await statusOf(plan))?.healthy === 0, { describe: 'no healthy instance' });
    await waitFor(async () => (await fixture.visit(plan)).status === 503, { describe: 'no traffic' });
    await successorOf(plan, first);
    expect((await statusOf(plan))?.lastFailure).toMatch(/did not answer any more: GET \/ answered 500$/m);
  });

  it('that recovers in time gets its traffic back', async () => {
    const plan = await runs(server.moody, { healthCheckPath: '/' });
    const first = (await fixture.visit(plan)).body;
    const [record] = await fixture.records(plan);
    await fixture.visit(plan, '/become/500');
    await waitFor(async () => (await statusOf(plan))?.healthy === 0, { describe: 'no healthy instance' });
    await fetch(`http://127.0.0.1:${record?.port}/become/200`);
    await waitFor(async () => (await fixture.visit(plan)).body === first, { describe: 'traffic again' });
  });

  it('is killed when it ignores SIGTERM, with what it left in a session of its own', async () => {
    const plan = await runs(server.stubborn);
    const [parent, child] = (await fixture.visit(plan)).body.split(' ').map(Number);
    expect(await fixture.pids()).toEqual(expect.arrayContaining([parent, child]));
    await fixture.runtime.stop(plan.webServiceId);
    for (const pid of [parent, child]) expect(processEntry(pid!)).toBeUndefined();
    expect(await fixture.ledger.ids()).toEqual([]);
  });

  it('that leaves a child behind when it crashes leaves nothing', async () => {
    const plan = await runs(server.stubborn);
    const [parent, child] = (await fixture.visit(plan)).body.split(' ').map(Number);
    process.kill(parent!, 'SIGKILL');
    await waitFor(async () => !(await fixture.pids()).includes(child!), { describe: 'its child to be gone' });
    await waitFor(async () => (await statusOf(plan))?.lastFailure?.includes('was ended by SIGKILL'));
  });

  it('that uses more memory than it may is ended, and the status says so', async () => {
    const plan = await runs(server.hungry);
    const first = (await fixture.visit(plan)).body;
    await fixture.visit(plan, '/eat?200').catch(() => {});
    await successorOf(plan, first);
    expect((await statusOf(plan))?.lastFailure).toMatch(/used more than 150 MiB/);
  });

  it('that floods its log loses lines, and neither memory nor anybody else', async () => {
    const plan = await runs(server.talking);
    const other = await runs(server.talking);
    const before = process.memoryUsage().rss;
    const flood = fixture.visit(plan, `/flood?${50 * 2 ** 20}`);
    await fixture.visit(other, '/say?still%20here');
    await waitFor(async () => (await fixture.messages(other)).includes('still here'), { describe: 'the other line' });
    await flood;
    await waitFor(async () => (await fixture.messages(plan)).some(line => /log lines were dropped/.test(line)));
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20);
    expect((await fixture.visit(plan)).status).toBe(200);
  });

  it('has its secrets masked in its lines', async () => {
    const plan = await runs(server.talking, { environment: { KEY: 'abracadabra' }, secrets: ['abracadabra'] });
    await fixture.visit(plan, '/say?the%20key%20is%20abracadabra');
    await waitFor(async () => (await fixture.messages(plan)).includes('the key is ********'), { describe: 'the line' });
  });

  it('has what it wrote last in the log, also when it crashes just then', async () => {
    const plan = await runs(server.crashing);
    await fixture.visit(plan, '/crash', { method: 'POST' }).catch(() => {});
    await waitFor(async () => (await fixture.messages(plan)).includes('out of luck'), { describe: 'its last words' });
  });

  it('is measured with all that it does', async () => {
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

  it('run nothing of its owner with the rights of the platform', async () => {
    const trap = join(fixture.home, 'trap');
    const seen = join(trap, 'seen');
    await mkdir(seen, { recursive: true });
    await chmod(seen, 0o777);
    // Whichever program is taken from here on the way to the service says as whom it was run.
    for (const name of ['sh', 'setpriv', 'prlimit', 'nice', 'cat', 'sleep', 'env']) {
      const script = `#!/bin/sh\n/usr/bin/id -u > ${seen}/${name}\nPATH=/usr/bin:/bin exec ${name} "$@"\n`;
      await writeFile(join(trap, name), script, { mode: 0o755 });
    }
    const plan = await fixture.plan(server.environment, {
      environment: { PATH: `${trap}:${dirname(process.execPath)}:/usr/bin:/bin`, LD_PRELOAD: `${trap}/none.so` },
    });
    await fixture.runtime.roll(plan, never);
    const inside = JSON.parse((await fixture.visit(plan)).body) as Record<string, string>;
    expect(inside['LD_PRELOAD']).toBe(`${trap}/none.so`);
    const [record] = await fixture.records(plan);
    const status = await readFile(`/proc/${record?.process?.pid}/status`, 'utf8');
    const uid = /^Uid:\t(\d+)/m.exec(status)?.[1];
    expect(uid === '0').toBe(false);
    const users = await Promise.all((await readdir(seen)).map(name => readFile(join(seen, name), 'utf8')));
    expect(users.filter(user => user.trim() !== uid)).toEqual([]);
  });
});
