import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Files, program, servicePlanOf } from '@postern/runtime/testing';
import { SourceBuilds } from '../testing/source-builds.js';
import { KubernetesHarness } from './testing/kubernetes-harness.js';

const never = new AbortController().signal;
const lines = (...steps: readonly string[]) => `${steps.join('\n')}\n`;

describe('A repository with a Dockerfile', () => {
  let harness: KubernetesHarness;
  let builds: SourceBuilds<KubernetesHarness>;
  beforeAll(async () => {
    harness = await KubernetesHarness.start();
    builds = new SourceBuilds(harness);
  }, 120_000);
  afterEach(() => builds.removeRepositories());
  afterAll(() => harness?.stop(), 120_000);

  const dockerfile = lines(
    'FROM docker.io/library/node:24',
    'WORKDIR /srv/shop',
    'COPY . .',
    'RUN cp app.mjs made.mjs && echo made',
    'CMD ["node", "made.mjs"]',
  );
  const shop: Files = {
    Dockerfile: dockerfile,
    'app.mjs': program.answering('by the Dockerfile'),
    'server.mjs': program.answering('by the platform'),
    'package.json': JSON.stringify({ scripts: { start: 'node server.mjs' } }),
  };

  it('is built with the Dockerfile and started by its CMD in its WORKDIR, and the build log states this', async () => {
    const order = await builds.orderOf(shop);
    const artefact = await builds.build(order);
    expect(await builds.logOf(order)).toEqual([
      expect.stringContaining(order.commit),
      'Dockerfile found: the image is built from it',
      '[1/4] FROM docker.io/library/node:24',
      '[2/4] WORKDIR /srv/shop',
      '[3/4] COPY . .',
      '[4/4] RUN cp app.mjs made.mjs && echo made',
      'made',
    ]);
    expect(await builds.answerOf(servicePlanOf(artefact))).toBe('by the Dockerfile');
  });

  it('may have an ENTRYPOINT, and commands in shell form', async () => {
    const started = dockerfile.replace(
      /CMD.*/,
      'ENV GREETING=hello\nENTRYPOINT ["/bin/sh", "-c"]\nCMD ["exec node $FILE"]',
    );
    const order = await builds.orderOf({
      ...shop,
      Dockerfile: started,
      'app.mjs': program.answeringVariable('GREETING'),
    });
    const entered = servicePlanOf(await builds.build(order), { environment: { FILE: 'made.mjs' } });
    expect(await builds.answerOf(entered)).toBe('hello');
    const shell = await builds.orderOf({ ...shop, Dockerfile: dockerfile.replace(/CMD.*/, 'CMD exec node made.mjs') });
    expect(await builds.answerOf(servicePlanOf(await builds.build(shell)))).toBe('by the Dockerfile');
  });

  it('is built by the build command of the web service if one is set, and the log states this', async () => {
    const order = await builds.orderOf(shop, { buildCommand: 'echo built' });
    const artefact = await builds.build(order);
    expect(await builds.logOf(order)).toEqual(
      expect.arrayContaining([
        'Dockerfile found: it is not used, because the web service has a build command',
        '$ echo built',
      ]),
    );
    expect(artefact.reference).not.toContain('dockerfile');
    expect(await builds.answerOf(servicePlanOf(artefact))).toBe('by the platform');
  });

  it('is started by the start command of the web service if one is set, in its WORKDIR', async () => {
    const startCommand = 'GREETING="from $(basename "$PWD")" exec node app.mjs';
    const order = await builds.orderOf({ ...shop, 'app.mjs': program.answeringVariable('GREETING') }, { startCommand });
    expect(await builds.answerOf(servicePlanOf(await builds.build(order), { startCommand }))).toBe('from shop');
  });

  it('is built without the Dockerfile if that is a link', async () => {
    const order = await builds.orderOf({
      ...shop,
      Dockerfile: { link: 'docker/Dockerfile' },
      'docker/Dockerfile': dockerfile,
    });
    const artefact = await builds.build(order);
    expect(await builds.logOf(order)).toContain('Dockerfile found: it is not used, because it is a link');
    expect(await builds.answerOf(servicePlanOf(artefact))).toBe('by the platform');
  });

  it('is built without the Dockerfile if that is a folder', async () => {
    const { Dockerfile: _, ...rest } = shop;
    const artefact = await builds.build(await builds.orderOf({ ...rest, 'Dockerfile/notes.txt': 'x' }));
    expect(await builds.answerOf(servicePlanOf(artefact))).toBe('by the platform');
  });

  it.each([
    ['each variable of the web service', 'ADDRESS', 'shop.example'],
    ['all variables as JSON', 'environment', '"ADDRESS":"shop.example"'],
  ])('gets %s as a secret of its build, which is in no layer', async (_, secret, content) => {
    const file = `/run/secrets/${secret}`;
    const read = `RUN --mount=type=secret,id=${secret} grep -cF '${content}' ${file} && ls -A . .. && env`;
    const order = await builds.orderOf(
      { ...shop, Dockerfile: dockerfile.replace('RUN cp', `${read}\nRUN cp`) },
      { environment: { ADDRESS: 'shop.example' } },
    );
    const artefact = await builds.build(order);
    const output = (await builds.logOf(order)).filter(line => !line.startsWith('['));
    expect(output).toContain('1');
    expect(output.filter(line => /shop\.example|ADDRESS|^environment/.test(line))).toEqual([]);
    expect(await builds.answerOf(servicePlanOf(artefact))).toBe('by the Dockerfile');
  });

  it('fails with the step, its exit code and its last lines', async () => {
    const order = await builds.orderOf({
      ...shop,
      Dockerfile: dockerfile.replace('RUN cp', 'RUN echo no rule to make target >&2; exit 2\nRUN cp'),
    });
    await expect(builds.build(order)).rejects.toThrow(
      'the Dockerfile failed at step `RUN echo no rule to make target >&2; exit 2`: exit code 2: no rule to make target',
    );
  });

  it.each([
    ['COPY dist .', 'the Dockerfile failed at step `COPY dist .`: "/dist": not found'],
    ['RUNN make', 'the image cannot be built: dockerfile parse error on line 4: unknown instruction: RUNN'],
  ])('fails with the reason if the Dockerfile contains %s', async (step, message) => {
    const order = await builds.orderOf({ ...shop, Dockerfile: dockerfile.replace('RUN cp', `${step}\nRUN cp`) });
    await expect(builds.build(order)).rejects.toThrow(message);
  });

  it('cannot use the image of another web service as its base image', async () => {
    const { reference } = await builds.build(await builds.orderOf(shop));
    const image = reference.replace(':dockerfile@', '@');
    const thief = await builds.orderOf({ ...shop, Dockerfile: dockerfile.replace(/^FROM .*/, `FROM ${image}`) });
    await expect(builds.build(thief)).rejects.toThrow('denied by policy');
  });

  it('is not started if neither the Dockerfile nor the web service has a start command', async () => {
    const order = await builds.orderOf({ ...shop, Dockerfile: dockerfile.replace(/CMD.*/, '') });
    await expect(harness.runtime.roll(servicePlanOf(await builds.build(order)), never)).rejects.toThrow(
      'no start command: set one, or add a CMD to the Dockerfile',
    );
  });

  it('fails with the last lines of a program that writes to a read-only folder', async () => {
    const message = 'EROFS: read-only file system, mkdir /srv/shop/data';
    const order = await builds.orderOf({ ...shop, 'app.mjs': program.crashing(message) });
    await expect(harness.runtime.roll(servicePlanOf(await builds.build(order)), never)).rejects.toThrow(
      `an instance exited with code 1: ${message}`,
    );
  });

  it('is built once, and its image is retained with its artefact', async () => {
    const order = await builds.orderOf({ ...shop, 'note.txt': 'kept' });
    const kept = await builds.build(order);
    expect(await builds.build(order)).toEqual(kept);
    const other = await builds.build(await builds.orderOf({ ...shop, 'note.txt': 'other' }));
    await harness.runtime.retainArtefacts(new Set([kept.reference]));
    expect(await builds.answerOf(servicePlanOf(kept))).toBe('by the Dockerfile');
    await expect(harness.runtime.roll(servicePlanOf(other), never)).rejects.toThrow('the image cannot be pulled');
  });
});
