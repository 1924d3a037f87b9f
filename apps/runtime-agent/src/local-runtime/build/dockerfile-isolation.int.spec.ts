import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { never } from '@postern/runtime/testing';
import {
  dockerfileOf,
  ImageBuilds,
  LINUX,
  missingForImages,
  scriptOf,
  shop,
} from './dockerfile/testing/image-builds.js';
import { BuildsFixture } from './testing/builds-fixture.js';

/** Several sequential builds on a busy host. */
jest.setTimeout(90_000);

/** dockerfile-builds.int.spec.ts prints the reason if the tests are skipped. */
(missingForImages() === undefined ? describe : describe.skip)('A web service with a Dockerfile', () => {
  let builds: ImageBuilds;
  beforeAll(async () => {
    builds = await ImageBuilds.start();
  }, 60_000);
  afterAll(() => builds?.stop(), 60_000);

  describe('cannot, while it is built,', () => {
    it('run as a user of the host', async () => {
      const [uid = '', map = ''] = (await builds.outputOf('id -u && cat /proc/self/uid_map')).split('\n');
      expect(uid).toBe('0');
      const [inside, outside] = map.trim().split(/\s+/).map(Number);
      expect(inside).toBe(0);
      expect(outside).toBeGreaterThanOrEqual(2 ** 31);
    });

    it('see processes, files and devices of the host or of other web services', async () => {
      const { home } = builds.harness;
      const output = await builds.outputOf(
        `for path in ${home} /work /home /root/.ssh /proc/1/root/usr /dev/kmsg /dev/mem; do [ ! -e $path ] || echo "sees $path"; done; ls -d /proc/[0-9]* | wc -l`,
      );
      expect(output).toMatch(/^\d\d?$/);
    });

    it('create devices, change kernel settings or mount file systems', async () => {
      const output = await builds.outputOf(
        'mknod /disk b 8 0 || echo no device; echo x 2>/dev/null > /proc/sys/kernel/core_pattern || echo no change; mount -t tmpfs none /mnt 2>/dev/null || echo no mount',
      );
      expect(output).toMatch(/no device\nno change\nno mount$/);
    });

    it('fill the disk', async () => {
      const fixture = await BuildsFixture.start({ limits: { diskBytes: 100 * 2 ** 20, watchMs: 50 } });
      const fill = 'while true; do head -c 1000000 /dev/zero > /$RANDOM$RANDOM; done';
      const build = fixture.build(await builds.orderOf(shop(`RUN ${fill}`)));
      await expect(build).rejects.toThrow('the build wrote more than 100 MiB');
      expect(await fixture.leftovers()).toEqual([]);
      await fixture.stop();
    });
  });

  describe('cannot, while it runs,', () => {
    it('have privileges or see anything but its image', async () => {
      const run = scriptOf(
        `grep -E '^(Uid|CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs):' /proc/self/status`,
        'ls /; ls /proc/1/root',
        'ls -d /proc/[0-9]* | wc -l; ls /dev | tr "\\n" " "; unshare -r true',
      );
      const { get } = await builds.serve({ ...shop(), run });
      const output = await get('/cgi-bin/run');
      for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
        expect(output).toContain(`${name}:\t0000000000000000`);
      expect(output).toContain('NoNewPrivs:\t1');
      expect(output).not.toMatch(/^Uid:\t0/m);
      expect(output).toContain('/proc/1/root: Permission denied');
      expect(output).toMatch(/^bin\ndata\ndev\netc\nproc\nrun\nsrv\nsys\ntmp$/m);
      expect(output).toContain('fd full null random shm stderr stdin stdout tty urandom zero');
      expect(output).toContain('unshare: unshare(0x10000000): Operation not permitted');
    });

    it('change the image or another instance: it writes to a copy of its own', async () => {
      const run = scriptOf(
        'cat /srv/shop/x /etc/motd; echo x > /srv/shop/x; mkdir -p /var/cache/x; echo x > /etc/motd; ls /var/cache',
      );
      const { plan, get } = await builds.serve({ ...shop('RUN echo built > /etc/motd'), run });
      expect(await get('/cgi-bin/run')).toMatch(/x'?: No such file.*\nbuilt\nx\n$/);
      expect(await get('/cgi-bin/run')).toMatch(/^x\nx\nx\n$/);
      const tree = join(builds.harness.home, 'artefacts', plan.artefact.reference, 'tree');
      expect(await readFile(join(tree, 'etc/motd'), 'utf8')).toBe('built\n');
      await builds.harness.runtime.roll({ ...plan, rollId: randomUUID() }, never);
      expect(await get('/cgi-bin/run')).toMatch(/x'?: No such file.*\nbuilt\nx\n$/);
    });

    it('run as the user of the image: it gets the name only', async () => {
      const user = ['RUN echo "shop:x:1000:1000::/srv/shop:/bin/sh" >> /etc/passwd', 'USER shop'];
      const { get } = await builds.serve({ ...shop(...user), run: scriptOf('id -un; id -u') });
      expect(await get('/cgi-bin/run')).toMatch(/^shop\n(?!1000\n)\d{4,}\n$/);
    });

    it('start the shell of its image before all privileges are dropped', async () => {
      const shell = [
        '#!/bin/busybox sh',
        'busybox grep -hE "^(CapEff|CapPrm|Uid|NoNewPrivs)" /proc/self/status >> /tmp/seen',
        'exec /bin/busybox sh "$@"',
        '',
      ].join('\n');
      const files = {
        ...shop('COPY shell /bin/shell', 'RUN chmod +x /bin/shell && rm /bin/sh && ln -s shell /bin/sh'),
      };
      const { get } = await builds.serve({ ...files, shell, run: scriptOf('cat /tmp/seen') });
      const seen = (await get('/cgi-bin/run')).split('\n').filter(Boolean);
      expect(seen.length).toBeGreaterThan(4);
      expect(
        seen.filter(line => /^Uid:\t0/.test(line) || /^Cap\w+:\t0*[1-9a-f]/.test(line) || /Privs:\t0/.test(line)),
      ).toEqual([]);
    });

    it.each(['/tmp', '/proc', '/dev', '/etc', '/sys', '/data'])(
      'redirect a mount out of its image with a link at %s',
      async folder => {
        const linked = [...LINUX, `RUN mkdir /links && ln -s /usr /links${folder}`];
        const copied = ['FROM scratch', 'COPY --from=0 /bin /bin', 'COPY --from=0 /links/ /', 'CMD ["sh"]'];
        const order = await builds.orderOf({ Dockerfile: dockerfileOf(...linked, ...copied) });
        await expect(builds.build(order)).rejects.toThrow(`the image cannot be run: ${folder} must be a folder`);
      },
    );

    it('have a setuid file or a file of another user', async () => {
      const { plan, order } = await builds.serve(
        shop('RUN cp /bin/busybox /bin/other && chown 33:33 /bin/other && chmod 6755 /bin/other'),
      );
      const file = await stat(join(builds.harness.home, 'artefacts', plan.artefact.reference, 'tree/bin/other'));
      expect({ mode: file.mode & 0o7777, uid: file.uid }).toEqual({ mode: 0o775, uid: 0 });
      await builds.harness.runtime.stop(order.webServiceId);
    });
  });

  it('shares no UIDs with the build of another web service', async () => {
    const mapOf = async () => (await builds.outputOf('cat /proc/self/uid_map')).trim();
    expect(await mapOf()).not.toBe(await mapOf());
  });
});
