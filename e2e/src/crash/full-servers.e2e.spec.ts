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
afterAll(() => {
  unmountFolder(disk.folder);
  rmSync(folder, { recursive: true, force: true });
});

const EMAIL = { from: 'a@full.test', to: ['ada@mailboxes.test'], subject: 'Full', text: 'Hello.' };

if (disk.unavailable === undefined)
  it(
    'everything comes back within 30 s after the disk of PostgreSQL and NATS was full, and doctor names the disk meanwhile',
    async () => {
      const world = await World.start({ home: disk.folder, environment: { 'email-send': WITHOUT_LIMITS } });
      try {
        const sender = await world.sender('Full', 'full.test');
        await delivered(sender, await sendMany(sender, 'before', 5));

        disk.fill();
        const fullUntil = performance.now() + FULL_MS;
        await waitFor(async () => (await sender.send(EMAIL).catch(() => undefined))?.status === 503, {
          timeoutMs: 60_000,
          intervalMs: 200,
          describe: 'requests to be refused',
        });
        const { printed, seconds, limit } = await doctorSeconds(world.postern);
        expect(printed).toMatch(new RegExp(`✗ disk.*: at ${disk.folder}: device \\d+, 0 % free`));
        expect(seconds).toBeLessThan(limit);
        await waitFor(() => performance.now() > fullUntil, { timeoutMs: FULL_MS });

        disk.free();
        const freedAt = performance.now();
        let id: string | undefined;
        const until = { timeoutMs: 4 * BACK_WITHIN_MS, intervalMs: 250 };
        await waitFor(
          async () => {
            const answer = await sender.send(EMAIL).catch(() => undefined);
            id = answer?.body['status'] === 'sent' ? String(answer.body['id']) : undefined;
            return id;
          },
          { ...until, describe: 'a message to be sent' },
        );
        await sender.event('delivered', String(id), 4 * BACK_WITHIN_MS);
        const toldAt = performance.now();
        await waitFor(async () => (await postern(world.postern, ['doctor', '--no-mail'])).printed.includes('✓ queue'), {
          ...until,
          describe: 'the queue of NATS to be back',
        });
        expect(toldAt - freedAt).toBeLessThan(BACK_WITHIN_MS);
      } finally {
        await world.stop();
      }
    },
    STORY_WITHIN_MS,
  );
else
  it('a full disk is not tested without root, because mounting requires it', () =>
    expect(disk.unavailable).toMatch(/root/));
