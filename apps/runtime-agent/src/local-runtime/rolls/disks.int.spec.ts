import { existsSync } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RollFailed, type ServicePlan } from '@postern/runtime';
import { killProcess, waitFor } from '@postern/testing';
import { overlapsIn, writing } from '../testing/disk-writer.js';
import type { Held } from '../testing/local-runtime-assembly.js';
import { LocalRuntimeFixture } from '../testing/local-runtime-fixture.js';
import { server } from '../testing/servers.js';

const never = new AbortController().signal;

/** Whether the kernel limits the files of instances. */
const IS_LIMITED: Readonly<Record<Held, boolean>> = {
  'by all means': process.getuid?.() === 0,
  'in one network': process.getuid?.() === 0,
  'by marks alone': false,
};

describe.each<Held>(['by all means', 'by marks alone'])('A web service with a disk (confinement: %s)', held => {
  let fixture: LocalRuntimeFixture;
  beforeEach(async () => {
    fixture = await LocalRuntimeFixture.start({ held, limits: { diskBytes: 100 * 2 ** 20 } });
  });
  afterEach(() => fixture.stop());

  const planOf = (code: string, changes: Partial<ServicePlan> = {}) =>
    fixture.plan(code, { disk: { sizeMib: 64 }, ...changes });
  const folderOf = ({ webServiceId }: ServicePlan) => join(fixture.home, 'disks', webServiceId);
  const imageOf = (plan: ServicePlan) => `${folderOf(plan)}.img`;
  const answerOf = async (plan: ServicePlan, path = '/') => (await fixture.visit(plan, path)).body;

  it('keeps its files after a stop, a restart, another release and the end of an instance', async () => {
    const plan = await planOf(writing('old'));
    await fixture.runtime.roll(plan, never);
    await answerOf(plan, '/keep?something');
    await fixture.runtime.stop(plan.webServiceId);
    expect(await fixture.pids()).toEqual([]);
    await fixture.runtime.roll({ ...plan, rollId: 'start' }, never);
    expect(await answerOf(plan, '/kept')).toBe('something');
    const { webServiceId } = plan;
    await fixture.runtime.roll(await planOf(writing('new'), { webServiceId, rollId: 'deployment' }), never);
    expect(await answerOf(plan)).toBe('new');
    expect(await answerOf(plan, '/kept')).toBe('something');
    const [record] = await fixture.records(plan);
    for (const pid of await fixture.pids()) killProcess(pid);
    await waitFor(async () => (await fixture.visit(plan)).status === 200);
    expect((await fixture.records(plan))[0]?.id).not.toBe(record?.id);
    expect(await answerOf(plan, '/kept')).toBe('something');
  });

  it('runs one instance at a time: the older one ends before the next one starts, and the log contains a message', async () => {
    const plan = await planOf(writing('old'), { maxInstances: 3, minInstances: 2 });
    await fixture.runtime.roll(plan, never);
    const { webServiceId } = plan;
    for (const rollId of ['one', 'two', 'three'])
      await fixture.runtime.roll(await planOf(writing(rollId), { webServiceId, rollId }), never);
    expect(overlapsIn(await answerOf(plan, '/beats'))).toEqual({ instances: 4, overlaps: [] });
    const message = 'The web service has a disk: its instance ends before the next one starts';
    expect((await fixture.messages(plan)).filter(line => line === message)).toHaveLength(3);
  });

  it('is served by the previous release again when the next one fails', async () => {
    const plan = await planOf(writing('old'));
    await fixture.runtime.roll(plan, never);
    await answerOf(plan, '/keep?something');
    const { webServiceId } = plan;
    const broken = await planOf('console.error("no luck"); process.exit(3);', { webServiceId, rollId: 'broken' });
    await expect(fixture.runtime.roll(broken, never)).rejects.toBeInstanceOf(RollFailed);
    await waitFor(async () => (await fixture.visit(plan)).status === 200);
    expect(await answerOf(plan)).toBe('old');
    expect(await answerOf(plan, '/kept')).toBe('something');
    expect(await fixture.runtime.statusOf(webServiceId)).toMatchObject({ rollId: plan.rollId, healthy: 1 });
    expect(overlapsIn(await answerOf(plan, '/beats')).overlaps).toEqual([]);
  });

  it('keeps its files until the web service is deleted', async () => {
    const plan = await planOf(writing('old'));
    await fixture.runtime.roll(plan, never);
    await fixture.runtime.roll(
      await fixture.plan(server.answering('without'), { webServiceId: plan.webServiceId }),
      never,
    );
    expect(existsSync(IS_LIMITED[held] ? imageOf(plan) : join(folderOf(plan), 'beats'))).toBe(true);
    await fixture.runtime.remove(plan.webServiceId);
    expect(await readdir(join(fixture.home, 'disks'))).toEqual([]);
  });

  const failureOf = async ({ webServiceId }: ServicePlan) =>
    (await fixture.runtime.statusOf(webServiceId))?.lastFailure ?? '';

  it('logs a message when the disk is nearly full', async () => {
    const plan = await planOf(writing('old'));
    await fixture.runtime.roll(plan, never);
    await answerOf(plan, '/fill?60');
    await waitFor(async () => (await fixture.messages(plan)).some(line => /^The disk is 9\d % full/.test(line)), {
      timeoutMs: 20_000,
    });
    expect((await fixture.visit(plan)).status).toBe(200);
  }, 60_000);

  if (IS_LIMITED[held]) {
    it('gets an error for writes above the size of its disk, runs on, and can write after the disk was enlarged', async () => {
      const plan = await planOf(writing('old'));
      await fixture.runtime.roll(plan, never);
      expect(await answerOf(plan, '/keep?something')).toBe('old');
      expect(await answerOf(plan, '/fill?63')).toBe('old');
      expect(await answerOf(plan, '/fill?72')).toBe('ENOSPC');
      await waitFor(async () => /^The disk is full \(64 MiB\): writes fail/.test(await failureOf(plan)));
      expect(await fixture.messages(plan)).toContainEqual(expect.stringMatching(/^The disk is full/));
      expect(await fixture.runtime.statusOf(plan.webServiceId)).toMatchObject({ healthy: 1, restarts: 0 });
      await fixture.runtime.roll({ ...plan, rollId: 'larger', disk: { sizeMib: 160 } }, never);
      expect(await answerOf(plan, '/kept')).toBe('something');
      expect(await answerOf(plan, '/fill?150')).toBe('old');
    }, 60_000);

    it('gets an error when it has too many files', async () => {
      const plan = await planOf(writing('old'));
      await fixture.runtime.roll(plan, never);
      expect(await answerOf(plan, '/files?9000')).toBe('ENOSPC');
      await waitFor(async () => /^The disk is full \(8192 files\): writes fail/.test(await failureOf(plan)));
    });

    it('counts deleted files that are still open', async () => {
      const plan = await planOf(writing('old'));
      await fixture.runtime.roll(plan, never);
      expect(await answerOf(plan, '/deleted?40')).toBe('old');
      expect(await answerOf(plan, '/deleted?40')).toBe('ENOSPC');
    });

    it('keeps the files of a folder that was the disk before the machine had images', async () => {
      const plan = await planOf(writing('old'));
      await mkdir(folderOf(plan), { recursive: true });
      await writeFile(join(folderOf(plan), 'kept'), 'from before');
      await fixture.runtime.roll(plan, never);
      expect(await answerOf(plan, '/kept')).toBe('from before');
      expect(await readdir(join(fixture.home, 'disks'))).toEqual([
        `${plan.webServiceId}.img`,
        `${plan.webServiceId}.mount`,
      ]);
    });

    it('returns the space of deleted files to the machine', async () => {
      const plan = await planOf(writing('old'));
      await fixture.runtime.roll(plan, never);
      await answerOf(plan, '/fill?60');
      await waitFor(async () => (await stat(imageOf(plan))).blocks * 512 > 50 * 2 ** 20);
      await answerOf(plan, '/fill?1');
      await waitFor(async () => (await stat(imageOf(plan))).blocks * 512 < 30 * 2 ** 20, { timeoutMs: 30_000 });
    }, 60_000);
  } else {
    it('is restarted when its files exceed the size of the disk', async () => {
      const plan = await planOf(writing('old'));
      await fixture.runtime.roll(plan, never);
      await answerOf(plan, '/fill?70');
      await waitFor(async () => /stores more than 64 MiB on its disk/.test(await failureOf(plan)), {
        timeoutMs: 20_000,
      });
      await fixture.runtime.roll({ ...plan, rollId: 'larger', disk: { sizeMib: 128 } }, never);
      await waitFor(async () => (await fixture.visit(plan)).status === 200);
    }, 60_000);

    it('is restarted when it has too many files', async () => {
      const plan = await planOf(writing('old'));
      await fixture.runtime.roll(plan, never);
      await answerOf(plan, '/files?9000');
      await waitFor(async () => /stores more than 8192 files on its disk/.test(await failureOf(plan)), {
        timeoutMs: 20_000,
      });
    }, 60_000);

    it('is restarted when deleted files that it keeps open exceed its limit', async () => {
      const plan = await planOf(writing('old'));
      await fixture.runtime.roll(plan, never);
      for (let count = 0; count < 8; count++) await answerOf(plan, '/deleted?40').catch(() => undefined);
      await waitFor(async () => /wrote more than \d+ MiB/.test(await failureOf(plan)), { timeoutMs: 45_000 });
    }, 90_000);
  }

  it('keeps its files private: only the user of its instances can enter the folder', async () => {
    const plan = await planOf(writing('old'));
    await fixture.runtime.roll(plan, never);
    const folder = await stat(IS_LIMITED[held] ? imageOf(plan) : folderOf(plan));
    expect(folder.mode & 0o777).toBe(IS_LIMITED[held] ? 0o600 : 0o700);
    const spying = server.answering('spy').replace(
      /^/,
      `import { readdirSync } from 'node:fs';
       try { readdirSync(${JSON.stringify(folderOf(plan))}); console.log('read it'); } catch (e) { console.log(e.code); }\n`,
    );
    const spy = await planOf(spying);
    await fixture.runtime.roll(spy, never);
    await waitFor(async () => (await fixture.messages(spy)).length > 0);
    if (IS_LIMITED[held]) expect(await fixture.messages(spy)).toEqual([expect.stringMatching(/^(ENOENT|EACCES)$/)]);
  });
});
