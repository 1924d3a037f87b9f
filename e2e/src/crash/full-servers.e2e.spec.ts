import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { FillableDisk, unmountFolder, waitFor } from '@postern/testing';
import { postern } from '../operator.js';
import { World } from '../world.js';
import { doctorSeconds } from './doctor-time.js';
import { delivered, STORY_WITHIN_MS, sendMany, WITHOUT_LIMITS } from './restores.js';

const FULL_MS = 10_000;
const BACK_WITHIN_MS = 30_000;

const folder = mkdtempSync(join(tmpdir(), 'postern-full-servers-'));
chmodSync(folder, 0o755);
const disk = FillableDisk.create(join(folder, 'home'));
const removeDisk = () => {
  unmountFolder(disk.folder);
  rmSync(folder, { recursive: true, force: true });
};

const EMAIL = { from: 'a@full.test', to: ['ada@mailboxes.test'], subject: 'Full', text: 'Hello.' };

if (disk.unavailable === undefined) {
  const world = await World.start({ home: disk.folder, environment: { 'email-send': WITHOUT_LIMITS } });
  const sender = await world.sender('Full', 'full.test');
  afterAll(async () => {
    await world.stop();
    removeDisk();
  });

  it(
    'everything comes back within 30 s after the disk of PostgreSQL and NATS was full, and doctor names the disk meanwhile',
    async () => {
      await delivered(sender, await sendMany(sender, 'before', 5));

      disk.fill();
      const fullUntil = performance.now() + FULL_MS;
      await waitFor(async () => (await sender.send(EMAIL).catch(() => undefined))?.status === 503, {
        timeoutMs: BACK_WITHIN_MS,
        intervalMs: 200,
        describe: 'requests to be refused',
      });
      const { printed, seconds, limit } = await doctorSeconds(world.postern);
      expect(printed).toMatch(new RegExp(`✗ disk.*: at ${disk.folder}: device \\d+, 0 % free`));
      expect(seconds).toBeLessThan(limit);
      await waitFor(() => performance.now() > fullUntil, { timeoutMs: 2 * FULL_MS });

      disk.free();
      const freedAt = performance.now();
      const until = { timeoutMs: 2 * BACK_WITHIN_MS, intervalMs: 250 };
      const sendAgain = async () => {
        const answer = await sender.send(EMAIL).catch(() => undefined);
        return answer?.body['status'] === 'sent' ? String(answer.body['id']) : undefined;
      };
      const id = await waitFor(sendAgain, { ...until, describe: 'a message to be sent' });
      await sender.event('delivered', id, until.timeoutMs);
      expect(performance.now() - freedAt).toBeLessThan(BACK_WITHIN_MS);
      const queueIsBack = async () =>
        (await postern(world.postern, ['doctor', '--no-mail'])).printed.includes('✓ queue');
      await waitFor(queueIsBack, { ...until, describe: 'the queue of NATS to be back' });
    },
    STORY_WITHIN_MS,
  );
} else {
  afterAll(removeDisk);
  it('a full disk is not tested without root, because mounting requires it', () =>
    expect(disk.unavailable).toMatch(/root/));
}
