import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServicePlan, StoredBackup } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { overlapsIn, writing } from '../testing/disk-writer.js';
import type { Held } from '../testing/local-runtime-assembly.js';
import { LocalRuntimeFixture } from '../testing/local-runtime-fixture.js';
import { PlatformProcess } from '../testing/platform-process.js';

const never = new AbortController().signal;
/** What exists one after another beside a disk while it is restored. */
const STEPS =
  process.getuid?.() === 0
    ? ['.beside', '.beside/content/files', '.beside/image', '.beside/mount', '.restored']
    : ['.beside', '.beside/files', '.restored'];

describe.each<Held>(['by all means', 'by marks alone'])('Backups of a disk (confinement: %s)', held => {
  let fixture: LocalRuntimeFixture;
  let plan: ServicePlan;
  beforeEach(async () => {
    fixture = await LocalRuntimeFixture.start({ held, limits: { diskBytes: 100 * 2 ** 20 } });
    plan = await fixture.plan(writing('shop'), { disk: { sizeMib: 64 } });
    await fixture.runtime.roll(plan, never);
    await answerOf('/keep?before');
  });
  afterEach(() => fixture.stop());

  const answerOf = async (path = '/') => (await fixture.visit(plan, path)).body;
  const backUp = async () => {
    const backupId = uuidv7();
    return { backupId, ...(await fixture.runtime.backUpDisk(plan.webServiceId, backupId, never)) };
  };
  const restoreOf = ({ backupId, digest }: StoredBackup & { backupId: string }, restoreId = uuidv7()) => {
    const { webServiceId } = plan;
    return { webServiceId, sizeMib: 64, restoreId, backupId, digest };
  };
  const untilServing = () => waitFor(async () => (await fixture.visit(plan)).status === 200);
  const entries = async () =>
    (await readdir(join(fixture.home, 'disks'))).filter(name => /\.(beside|copy)$/.test(name));

  it('are made while the instance runs, and a restore replaces all files and starts the instance again', async () => {
    const [record] = await fixture.records(plan);
    const backup = await backUp();
    expect((await fixture.records(plan))[0]?.id).toBe(record?.id);
    expect(await fixture.runtime.backUpDisk(plan.webServiceId, backup.backupId, never)).toEqual({
      sizeBytes: backup.sizeBytes,
      digest: backup.digest,
    });
    await answerOf('/keep?after');
    await answerOf('/fill?8');
    const restore = restoreOf(backup);
    await fixture.runtime.restoreDisk(restore, never);
    await untilServing();
    expect(await answerOf('/kept')).toBe('before');
    expect((await fixture.records(plan))[0]?.id).not.toBe(record?.id);
    expect(overlapsIn(await answerOf('/beats')).overlaps).toEqual([]);
    expect(await entries()).toEqual([]);
    // A repeated order changes nothing.
    await answerOf('/keep?later');
    await fixture.runtime.restoreDisk(restore, never);
    expect(await answerOf('/kept')).toBe('later');
  });

  it('restore the disk of a stopped web service, which stays stopped', async () => {
    const backup = await backUp();
    await answerOf('/keep?after');
    await fixture.runtime.stop(plan.webServiceId);
    const stopped = await backUp();
    await fixture.runtime.restoreDisk(restoreOf(backup), never);
    expect(await fixture.pids()).toEqual([]);
    await fixture.runtime.roll({ ...plan, rollId: 'start' }, never);
    expect(await answerOf('/kept')).toBe('before');
    await fixture.runtime.restoreDisk(restoreOf(stopped), never);
    await untilServing();
    expect(await answerOf('/kept')).toBe('after');
  });

  it('that are damaged, gone or too large change nothing', async () => {
    const backup = await backUp();
    await answerOf('/keep?after');
    const { webServiceId } = plan;
    const [record] = await fixture.records(plan);
    const refused = (changes: object) =>
      expect(fixture.runtime.restoreDisk({ ...restoreOf(backup), ...changes }, never));
    await refused({ backupId: uuidv7() }).rejects.toThrow('the backup is gone');
    await refused({ digest: '0'.repeat(64) }).rejects.toThrow('the backup is damaged');
    const aborted = AbortSignal.abort(new Error('the order was cancelled'));
    await expect(fixture.runtime.restoreDisk(restoreOf(backup), aborted)).rejects.toThrow();
    expect((await fixture.records(plan))[0]?.id).toBe(record?.id);
    if (existsSync(join(fixture.home, 'disks', `${webServiceId}.img`))) {
      await answerOf('/fill?40');
      const large = await backUp();
      await refused({ ...large, sizeMib: 16 }).rejects.toThrow('the files of the backup do not fit on the disk');
    }
    await untilServing();
    expect(await answerOf('/kept')).toBe('after');
    expect(await entries()).toEqual([]);
  });

  it('end when an instance starts, and are made afterwards', async () => {
    await answerOf('/fill?50');
    const made = backUp();
    const { webServiceId } = plan;
    for (const rollId of ['one', 'two']) await fixture.runtime.roll({ ...plan, rollId }, never);
    await made;
    expect(await answerOf('/kept')).toBe('before');
    expect(await entries()).toEqual([]);
    expect(await readdir(join(fixture.home, 'disks', `${webServiceId}.backups`))).toHaveLength(1);
  });

  it('are deleted with the web service, and those that are not kept before', async () => {
    const [one, two] = [await backUp(), await backUp()];
    const folder = join(fixture.home, 'disks', `${plan.webServiceId}.backups`);
    await fixture.runtime.retainDiskBackups(plan.webServiceId, new Set([two.backupId]));
    expect(await readdir(folder)).toEqual([`${two.backupId}.zst`]);
    await expect(fixture.runtime.restoreDisk(restoreOf(one), never)).rejects.toThrow('the backup is gone');
    await fixture.runtime.remove(plan.webServiceId);
    expect(await readdir(join(fixture.home, 'disks'))).toEqual([]);
    await expect(backUp()).rejects.toThrow('is removed');
  });
});

it('a restore during which the platform is killed is repeated, and the files are always those before or after it', async () => {
  const fixture = await LocalRuntimeFixture.start();
  let platform = await PlatformProcess.start(fixture.home);
  try {
    const plan = await fixture.plan(writing('shop'), { disk: { sizeMib: 64 } });
    const { webServiceId } = plan;
    await fixture.runtime.roll(plan, never);
    await fixture.visit(plan, '/keep?before');
    const backupId = uuidv7();
    const { digest } = await fixture.runtime.backUpDisk(webServiceId, backupId, never);
    await fixture.runtime.detach();
    const kept = () =>
      waitFor(async () => {
        const { status, body } = await fixture.visit(plan, '/kept');
        return status === 200 ? body : undefined;
      });
    for (const step of STEPS) {
      await fixture.visit(plan, '/keep?after');
      const restore = { webServiceId, sizeMib: 64, restoreId: uuidv7(), backupId, digest };
      await rm(join(fixture.home, 'disks', `${webServiceId}.restored`), { force: true });
      platform.begin({ kind: 'restore disk', restore });
      const path = join(fixture.home, 'disks', `${webServiceId}${step}`);
      await waitFor(async () => existsSync(path), { intervalMs: 1, describe: step });
      await platform.kill();
      const next = fixture.anotherRuntime();
      await next.reconcile([plan], new Set());
      expect(['before', 'after']).toContain(await kept());
      await next.restoreDisk(restore, never);
      expect(await kept()).toBe('before');
      expect(overlapsIn((await fixture.visit(plan, '/beats')).body).overlaps).toEqual([]);
      await next.detach();
      platform = await PlatformProcess.start(fixture.home);
      expect(await platform.order({ kind: 'reconcile', plans: [plan] })).toBe('done');
    }
  } finally {
    await platform.kill();
    await fixture.stop();
  }
}, 180_000);

it('a backup of a disk that no instance has used yet fails with the reason', async () => {
  const fixture = await LocalRuntimeFixture.start();
  try {
    const plan = await fixture.plan(writing('shop'), { disk: { sizeMib: 64 } });
    await expect(fixture.runtime.backUpDisk(plan.webServiceId, uuidv7(), never)).rejects.toThrow(
      'the disk does not exist yet',
    );
  } finally {
    await fixture.stop();
  }
});
