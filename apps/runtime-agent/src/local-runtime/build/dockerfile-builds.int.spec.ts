import { access, lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { allPids } from '../../infrastructure/process-table.js';
import {
  dockerfileOf,
  ImageBuilds,
  LINUX,
  missingForImages,
  SERVER,
  scriptOf,
  shop,
} from './dockerfile/testing/image-builds.js';
import { BuildsFixture } from './testing/builds-fixture.js';

/** Several sequential builds on a busy host. */
jest.setTimeout(180_000);

const missing = missingForImages();
if (missing !== undefined) console.warn(`Builds of Dockerfiles are not tested: ${missing}`);

(missing === undefined ? describe : describe.skip)('A repository with a Dockerfile', () => {
  let builds: ImageBuilds;
  beforeAll(async () => {
    builds = await ImageBuilds.start();
  }, 60_000);
  afterAll(() => builds?.stop(), 60_000);

  const failed = async (files: Record<string, string>, changes = {}) => {
    const order = await builds.orderOf(files, changes);
    const message = await builds.build(order).then(
      () => 'it was built',
      (error: Error) => `${error.name}: ${error.message}`,
    );
    return { order, message: message.replace(/^BuildFailed: /, '') };
  };
  const fails = async (files: Record<string, string>, changes = {}) => (await failed(files, changes)).message;

  describe('is built and started:', () => {
    it('by its CMD in its WORKDIR, which the build log states', async () => {
      const Dockerfile = dockerfileOf(
        ...LINUX,
        'WORKDIR /srv/shop',
        'COPY index.html .',
        'RUN sed s/source/built/ index.html > made.html && echo made',
        'CMD ["sh", "-c", "exec httpd -f -p $PORT -h $PWD"]',
      );
      const { order, get } = await builds.serve({ Dockerfile, 'index.html': 'from source', 'package.json': '{}' });
      expect(await get('/made.html')).toBe('from built');
      const log = await builds.logOf(order);
      expect(log.slice(0, 3)).toEqual([
        `Fetching ${order.repositoryUrl} at ${order.commit}`,
        'Dockerfile found: the image is built from it',
        'STEP 1/6: FROM scratch',
      ]);
      const step = log.indexOf('STEP 5/6: RUN sed s/source/built/ index.html > made.html && echo made');
      expect(log[step + 1]).toBe('made');
      expect(log).toContain('Starts by: sh -c exec httpd -f -p $PORT -h $PWD');
    });

    it('by its ENTRYPOINT and CMD, with its ENV overridden by the variables of the web service', async () => {
      const steps = [
        'ENV GREETING=hello COLOUR=red HOME=/root',
        'ENTRYPOINT ["/bin/sh", "-c"]',
        'CMD ["exec httpd -f -p $PORT"]',
      ];
      const { get } = await builds.serve(shop(...steps), {}, { environment: { COLOUR: 'blue', QUOTED: `it's "so"` } });
      const seen = (await get('/cgi-bin/run')).split('\n');
      expect(seen).toEqual(expect.arrayContaining(['GREETING=hello', 'COLOUR=blue', 'HOME=/tmp', `QUOTED=it's "so"`]));
      expect(seen.filter(line => /^LANG=|POSTERN_SECRET/.test(line))).toEqual([]);
    });

    it('by the start command of the web service, in its WORKDIR', async () => {
      const startCommand = 'echo "$PWD" > /tmp/where; exec httpd -f -p $PORT';
      const { get } = await builds.serve({ ...shop(), run: scriptOf('cat /tmp/where') }, { startCommand });
      expect(await get('/cgi-bin/run')).toBe('/srv/shop\n');
    });

    it('with several stages, of which only the last is kept', async () => {
      const Dockerfile = dockerfileOf(
        ...['FROM scratch AS made', ...LINUX.slice(1), 'RUN echo secret > /hidden && echo shown > /shown'],
        ...[...SERVER, 'COPY --from=made /shown /srv/shop/shown.html'],
      );
      const { get, plan } = await builds.serve({ Dockerfile, run: scriptOf('cat /hidden') });
      expect(await get('/shown.html')).toBe('shown\n');
      expect(await get('/cgi-bin/run')).toContain('No such file');
      await builds.harness.runtime.stop(plan.webServiceId);
    });

    it('with its disk at /data', async () => {
      const run = scriptOf('echo kept > $DISK_PATH/file && ls $DISK_PATH');
      const { get } = await builds.serve({ ...shop(), run }, {}, { disk: { sizeMib: 64 } });
      expect(await get('/cgi-bin/run')).toContain('file\n');
    });
  });

  it('runs its one-off commands and its release command', async () => {
    const release = { releaseCommand: 'echo "released in $PWD with $GREETING"' };
    const { order, plan } = await builds.serve(shop('ENV GREETING=hello'), {}, release);
    expect(await builds.run(plan, 'test "$PWD" = /srv/shop && ls /usr')).toMatchObject({ exitCode: 1 });
    expect(await builds.run(plan, 'echo "run with $GREETING" && test -x /bin/busybox')).toEqual({
      exitCode: 0,
      reason: null,
    });
    const log = await builds.logOf(order);
    expect(log).toEqual(expect.arrayContaining(['released in /srv/shop with hello', 'run with hello']));
  });

  it('keeps running while Postern restarts', async () => {
    const started = { environment: { KEY: 'abracadabra' }, secrets: ['abracadabra'] };
    const { plan, get } = await builds.serve(shop(), {}, started);
    await builds.harness.restart();
    expect(await builds.run(plan, 'true')).toEqual({ exitCode: 0, reason: null });
    expect(await builds.harness.runtime.statusOf(plan.webServiceId)).toMatchObject({
      rollId: plan.rollId,
      instances: 1,
    });
    expect(await get('/cgi-bin/run')).toContain('KEY=abracadabra');
    await builds.harness.runtime.stop(plan.webServiceId);
    expect(await builds.harness.processesOf(plan)).toEqual([]);
  });

  describe('is built without the Dockerfile:', () => {
    it.each([
      ['where the web service has a build command', { buildCommand: 'true' }, 'the web service has a build command'],
    ])('%s', async (_, changes, reason) => {
      const order = await builds.orderOf({ ...shop(), 'index.html': 'x' }, changes);
      await builds.build(order);
      expect(await builds.logOf(order)).toContain(`Dockerfile found: it is not used, because ${reason}`);
    });

    it('where the Dockerfile is a link', async () => {
      const files = { Dockerfile: { link: 'other' }, other: 'FROM scratch', 'index.html': 'x' };
      const order = await builds.orderOf(files);
      await builds.build(order);
      expect(await builds.logOf(order)).toContain('Dockerfile found: it is not used, because it is a link');
    });
  });

  describe('fails with an error that names:', () => {
    it('the step, its exit code and its last lines', async () => {
      expect(await fails(shop('RUN echo no rule to make target >&2; exit 2'))).toBe(
        'the Dockerfile failed at step `RUN echo no rule to make target >&2; exit 2`: exit code 2: no rule to make target',
      );
    });

    it.each([
      ['COPY dist .', /^the Dockerfile failed at step `COPY dist \.`: "\/dist": not found$/],
      ['RUNN make', /^the Dockerfile failed at step `RUNN`: Unknown instruction: "RUNN"$/],
    ])('the reason for the instruction %s', async (step, message) => {
      expect(await fails(shop(step))).toMatch(message);
    });

    it('the base image that cannot be pulled', async () => {
      const message = await fails({ Dockerfile: 'FROM registry.invalid/node:24\nCMD ["node"]\n' });
      expect(message).toMatch(/^the image cannot be built: .*registry\.invalid/);
    });

    it('the base image that is named without a registry, which is then docker.io', async () => {
      const order = await builds.orderOf({ Dockerfile: 'FROM postern-image-that-does-not-exist\nCMD ["node"]\n' });
      await expect(builds.build(order)).rejects.toThrow(/docker\.io/);
      expect((await builds.logOf(order)).join('\n')).toContain('docker.io/library/postern-image-that-does-not-exist');
    });

    it('the last lines of the step without the secret of which each stream separates the parts', async () => {
      const loop = 'for i in $(seq 200); do printf hunt; echo other >&2; echo er22; done; exit 3';
      const { order, message } = await failed(shop(`RUN ${loop}`), { secrets: ['hunter22'] });
      expect(message).toContain('exit code 3: ');
      expect(`${message}\n${(await builds.logOf(order)).join('\n')}`).not.toMatch(/^.*(hunt|er22)(?!; )$/m);
    });

    it('the missing start command', async () => {
      expect(await fails({ Dockerfile: dockerfileOf(...LINUX) })).toBe(
        'no start command: set one, or add a CMD to the Dockerfile',
      );
    });

    it('the missing shell of the image', async () => {
      const Dockerfile = dockerfileOf('FROM scratch', 'COPY run /server', 'CMD ["/server"]');
      expect(await fails({ ...shop(), Dockerfile })).toBe(
        'the image has no /bin/sh, with which its processes are started: begin with an image that has one',
      );
    });

    it('the Procfile, which is not used', async () => {
      const files = { ...shop(), Procfile: 'worker: sleep 60\n' };
      await expect(builds.serve(files, {}, { processes: { worker: 1 } })).rejects.toThrow(
        'a Procfile is not used beside a Dockerfile',
      );
    });

    it('the deadline, and leaves no process of the step running', async () => {
      expect(await fails(shop('RUN setsid sleep 4321 & sleep 4322'), { deadlineMs: 8_000 })).toBe(
        'the build did not finish within 8 s',
      );
      expect(await commandLines()).not.toContainEqual(expect.stringMatching(/sleep 432[12]/));
    });
  });

  describe('gets', () => {
    it.each([
      ['each variable of the web service', 'ADDRESS', 'shop.example'],
      ['all variables as JSON', 'environment', '"ADDRESS":"shop.example"'],
    ])('%s as a build secret that is in no file of the image', async (_, secret, content) => {
      const environment = { ADDRESS: 'shop.example' };
      const file = `/run/secrets/${secret}`;
      const output = await builds.outputOf(
        `--mount=type=secret,id=${secret} grep -cF '${content}' ${file} && env`,
        environment,
      );
      expect(output.split('\n')[0]).toBe('1');
      expect(output).not.toMatch(/shop\.example|^ADDRESS/m);
      const files = { ...shop(`RUN --mount=type=secret,id=${secret} cat ${file} > /dev/null`) };
      const { plan } = await builds.serve(files, { environment });
      expect(await builds.run(plan, `grep -rlF shop.example /srv /bin /etc /run /tmp`)).toMatchObject({ exitCode: 1 });
    });
  });

  it('can mount caches and folders that are not in the image', async () => {
    const output = await builds.outputOf(
      '--mount=type=cache,target=/cache --mount=type=bind,source=run,target=/bound echo kept > /cache/x && cat /bound',
    );
    expect(output).toContain('#!/bin/sh');
  });

  it('leaves only its artefact, and nothing after the removal of its web service', async () => {
    const { home, runtime } = builds.harness;
    const { order, plan } = await builds.serve(shop());
    expect(await readdir(join(home, 'builds'))).toEqual([]);
    const artefact = join(home, 'artefacts', plan.artefact.reference);
    expect((await readdir(artefact)).sort()).toEqual(['artefact.json', 'tree']);
    expect((await lstat(artefact)).mode & 0o007).toBe(0);
    expect((await builds.harness.processesOf(plan)).length).toBeGreaterThan(0);
    await runtime.remove(order.webServiceId);
    expect(await builds.harness.processesOf(plan)).toEqual([]);
    await expect(access(artefact)).rejects.toThrow('ENOENT');
  });
});

describe('Without namespaces, a repository with a Dockerfile', () => {
  let fixture: BuildsFixture;
  beforeAll(async () => {
    fixture = await BuildsFixture.start({ use: { namespaces: false } });
  }, 60_000);
  afterAll(() => fixture.stop());

  it('is built without the Dockerfile if possible, and the log explains what to do', async () => {
    const files = { Dockerfile: 'FROM scratch\n', 'index.html': 'x' };
    await fixture.build(await fixture.order(files, { startCommand: undefined }));
    expect(await fixture.lines()).toEqual([
      expect.stringMatching(/^Fetching/),
      expect.stringMatching(/^Dockerfile found: it is not used, because .*: (install|start) /),
      'Serves the files in .',
    ]);
  });

  it('is refused with advice if only the Dockerfile defines the build', async () => {
    const order = await fixture.order({ Dockerfile: 'FROM scratch\n' }, { startCommand: undefined });
    await expect(fixture.build(order)).rejects.toThrow(
      /^the repository can only be built from its Dockerfile, but .*: (install|start) /,
    );
  });
});

/** Command lines of all processes of this host. */
const commandLines = async (): Promise<readonly string[]> => {
  const lines = (await allPids()).map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).map(line => line.replaceAll('\0', ' '));
};
