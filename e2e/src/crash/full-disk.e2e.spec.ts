import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformWorld, type Service } from '../platform/platform-world.js';
import { webApp } from '../platform/repository.js';
import { type SteadyAnswers, underSteadyRequests } from '../platform/steady-requests.js';

/** A build requires 1024 MiB of free space; this leaves it about 100 MiB more to fill. */
const DISK_MIB = 1_130;

const home = mkdtempSync(join(tmpdir(), 'postern-full-disk-'));
const disk = join(home, 'platform');

// Web services run as other users, who need access to the folder.
chmodSync(home, 0o711);

const mounted = (() => {
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=711`, 'none', disk], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
})();

const unmount = () => {
  if (mounted) execFileSync('umount', ['--lazy', disk]);
  rmSync(home, { recursive: true, force: true });
};

const freeMib = (): number => {
  const { bavail, bsize } = statfsSync(disk);
  return (bavail * bsize) / 2 ** 20;
};

if (mounted)
  describe('when a build fills the disk of the platform', () => {
    let platform: PlatformWorld | undefined;
    let running: Service;
    let answers: SteadyAnswers;
    let error: string | null;

    beforeAll(async () => {
      platform = await PlatformWorld.start({ home });
      running = await platform.service(webApp('one'));
      await running.deploy();
      const greedy = await platform.service(webApp('greedy'), {
        build_command: 'for n in 1 2 3 4; do head -c 1000000000 /dev/zero > fill-$n || exit 1; done',
      });
      answers = await underSteadyRequests(await running.url(), async () => {
        const { id } = await greedy.requestDeployment();
        ({ error } = await greedy.outcomeOf(id));
      });
    }, 120_000);

    afterAll(async () => {
      await platform?.stop();
      unmount();
    });

    it('it fails with the reason that the disk is full', () =>
      expect(error).toMatch(/no space left on device|the disk is (nearly )?full/i));

    it('running services continue to respond', () => expect(answers.failures).toEqual([]));

    it('its files are removed, and the next deployment goes live', async () => {
      expect(freeMib()).toBeGreaterThan(1_024);
      running.repository.commit(webApp('two'));
      await running.deploy();
      expect(await running.get()).toBe('200 two');
    }, 60_000);

    it('a disk filled by another process fails a deployment before it begins, and affects no running service', async () => {
      execFileSync('fallocate', ['-l', `${Math.floor(freeMib()) - 1}MiB`, join(disk, 'of-somebody-else')]);
      const failing = await running.requestDeployment();
      expect(await running.outcomeOf(failing.id)).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(/the disk is nearly full/),
      });
      expect(await running.get()).toBe('200 two');

      rmSync(join(disk, 'of-somebody-else'));
      await running.deploy();
      await running.get('/say?words=again');
      await running.line(({ message }) => message === 'again');
    }, 60_000);
  });
else
  it('a full disk is not tested without root, because mounting requires it', () => {
    unmount();
    expect(mounted).toBe(false);
  });
