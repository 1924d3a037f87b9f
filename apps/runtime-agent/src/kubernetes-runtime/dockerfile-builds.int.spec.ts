import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Artefact, BuildOrder, ServicePlan } from '@postern/runtime';
import { GitRepository, program } from '@postern/runtime/testing';
import { KubernetesHarness } from './testing/kubernetes-harness.js';

type Files = NonNullable<Parameters<typeof GitRepository.make>[0]>;
const never = new AbortController().signal;
const lines = (...steps: readonly string[]) => `${steps.join('\n')}\n`;

describe('A repository with a Dockerfile', () => {
  let harness: KubernetesHarness;
  const repositories: GitRepository[] = [];
  beforeAll(async () => {
    harness = await KubernetesHarness.start();
  }, 120_000);
  afterEach(async () => {
    for (const repository of repositories.splice(0)) await repository.remove();
  });
  afterAll(() => harness?.stop(), 120_000);

  const orderOf = async (files: Files, changes: Partial<BuildOrder> = {}): Promise<BuildOrder> => {
    const repository = await GitRepository.make(files);
    repositories.push(repository);
    return {
      deploymentId: randomUUID(),
      webServiceId: randomUUID(),
      repositoryUrl: repository.url,
      commit: await repository.git('rev-parse', 'HEAD'),
      buildCommand: undefined,
      startCommand: undefined,
      environment: {},
      secrets: [],
      deadlineMs: 60_000,
      ...changes,
    };
  };
  const build = async (order: BuildOrder): Promise<Artefact> => {
    const output = harness.runtime.logWriter(order.webServiceId, 'build', []);
    return harness.runtime.build(order, output, never).finally(() => output.close());
  };
  const logOf = async ({ webServiceId }: BuildOrder): Promise<readonly string[]> => {
    const said = await harness.runtime.logs(webServiceId, { tail: 100, since: undefined });
    return said.map(({ message }) => message);
  };
  const planOf = (artefact: Artefact, changes: Partial<ServicePlan> = {}): ServicePlan => ({
    webServiceId: randomUUID(),
    name: 'shop',
    rollId: randomUUID(),
    artefact,
    startCommand: undefined,
    port: 8080,
    healthCheckPath: undefined,
    minInstances: 1,
    maxInstances: 1,
    environment: {},
    secrets: [],
    deadlineMs: 20_000,
    ...changes,
  });
  const answerOf = async (plan: ServicePlan): Promise<string> => {
    await harness.runtime.roll(plan, never);
    const { body } = await harness.ask(await harness.runtime.urlOf(plan.webServiceId, plan.name));
    await harness.runtime.stop(plan.webServiceId);
    return body;
  };

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

  it('is built by it, started by its CMD in its WORKDIR, and the log of the build says so', async () => {
    const order = await orderOf(shop);
    const artefact = await build(order);
    expect(await logOf(order)).toEqual([
      expect.stringContaining(order.commit),
      'Dockerfile found: it builds the image',
      '[1/4] FROM docker.io/library/node:24',
      '[2/4] WORKDIR /srv/shop',
      '[3/4] COPY . .',
      '[4/4] RUN cp app.mjs made.mjs && echo made',
      'made',
    ]);
    expect(await answerOf(planOf(artefact))).toBe('by the Dockerfile');
  });

  it('may have an ENTRYPOINT, and commands in shell form', async () => {
    const started = dockerfile.replace(
      /CMD.*/,
      'ENV SAID=hello\nENTRYPOINT ["/bin/sh", "-c"]\nCMD ["exec node $FILE"]',
    );
    const order = await orderOf({ ...shop, Dockerfile: started, 'app.mjs': program.answeringVariable('SAID') });
    const entered = planOf(await build(order), { environment: { FILE: 'made.mjs' } });
    expect(await answerOf(entered)).toBe('hello');
    const shell = await orderOf({ ...shop, Dockerfile: dockerfile.replace(/CMD.*/, 'CMD exec node made.mjs') });
    expect(await answerOf(planOf(await build(shell)))).toBe('by the Dockerfile');
  });

  it('is built by the build command of the web service, where there is one, and the log says so', async () => {
    const order = await orderOf(shop, { buildCommand: 'echo built' });
    const artefact = await build(order);
    expect(await logOf(order)).toEqual(
      expect.arrayContaining([
        'Dockerfile found: it is not used, because the web service has a build command',
        '$ echo built',
      ]),
    );
    expect(artefact.reference).not.toContain('dockerfile');
    expect(await answerOf(planOf(artefact))).toBe('by the platform');
  });

  it('is started by the start command of the web service, where there is one, in its WORKDIR', async () => {
    const startCommand = 'SAID="from $(basename "$PWD")" exec node app.mjs';
    const order = await orderOf({ ...shop, 'app.mjs': program.answeringVariable('SAID') }, { startCommand });
    expect(await answerOf(planOf(await build(order), { startCommand }))).toBe('from shop');
  });

  it('is built as without it, where it is a link', async () => {
    const order = await orderOf({
      ...shop,
      Dockerfile: { link: 'docker/Dockerfile' },
      'docker/Dockerfile': dockerfile,
    });
    const artefact = await build(order);
    expect(await logOf(order)).toContain('Dockerfile found: it is not used, because it is a link');
    expect(await answerOf(planOf(artefact))).toBe('by the platform');
  });

  it('is built as without it, where it is a folder', async () => {
    const { Dockerfile: _, ...rest } = shop;
    const artefact = await build(await orderOf({ ...rest, 'Dockerfile/notes.txt': 'x' }));
    expect(await answerOf(planOf(artefact))).toBe('by the platform');
  });

  it.each([
    ['each variable of the web service', 'ADDRESS', 'shop.example'],
    ['all variables as JSON', 'environment', '"ADDRESS":"shop.example"'],
  ])('gets %s as a secret of its build, which is in no layer', async (_, secret, content) => {
    const file = `/run/secrets/${secret}`;
    const read = `RUN --mount=type=secret,id=${secret} grep -cF '${content}' ${file} && ls -A . .. && env`;
    const order = await orderOf(
      { ...shop, Dockerfile: dockerfile.replace('RUN cp', `${read}\nRUN cp`) },
      { environment: { ADDRESS: 'shop.example' } },
    );
    const artefact = await build(order);
    const said = (await logOf(order)).filter(line => !line.startsWith('['));
    expect(said).toContain('1');
    expect(said.filter(line => /shop\.example|ADDRESS=|^ADDRESS|^environment/.test(line))).toEqual([]);
    expect(await answerOf(planOf(artefact))).toBe('by the Dockerfile');
  });

  it('fails with the step, its exit code and its last lines', async () => {
    const order = await orderOf({
      ...shop,
      Dockerfile: dockerfile.replace('RUN cp', 'RUN echo no rule to make target >&2; exit 2\nRUN cp'),
    });
    await expect(build(order)).rejects.toThrow(
      'the Dockerfile failed at step `RUN echo no rule to make target >&2; exit 2`: exit code 2: no rule to make target',
    );
  });

  it.each([
    ['COPY dist .', 'the Dockerfile failed at step `COPY dist .`: "/dist": not found'],
    ['RUNN make', 'the image cannot be built: dockerfile parse error on line 4: unknown instruction: RUNN'],
  ])('fails with the reason where it says %s', async (step, words) => {
    const order = await orderOf({ ...shop, Dockerfile: dockerfile.replace('RUN cp', `${step}\nRUN cp`) });
    await expect(build(order)).rejects.toThrow(words);
  });

  it('cannot begin with the image of another web service', async () => {
    const { reference } = await build(await orderOf(shop));
    const image = reference.replace(':dockerfile@', '@');
    const thief = await orderOf({ ...shop, Dockerfile: dockerfile.replace(/^FROM .*/, `FROM ${image}`) });
    await expect(build(thief)).rejects.toThrow('denied by policy');
  });

  it('is not started where neither it nor the web service says how', async () => {
    const order = await orderOf({ ...shop, Dockerfile: dockerfile.replace(/CMD.*/, '') });
    await expect(harness.runtime.roll(planOf(await build(order)), never)).rejects.toThrow(
      'nothing starts this service: add a CMD to its Dockerfile, or give the web service a start command',
    );
  });

  it('fails with the last lines of a program that writes where it may not', async () => {
    const words = 'EROFS: read-only file system, mkdir /srv/shop/data';
    const order = await orderOf({ ...shop, 'app.mjs': program.crashing(words) });
    await expect(harness.runtime.roll(planOf(await build(order)), never)).rejects.toThrow(
      `an instance exited with code 1: ${words}`,
    );
  });

  it('is built once, and its image is kept as long as its artefact', async () => {
    const order = await orderOf({ ...shop, 'note.txt': 'kept' });
    const kept = await build(order);
    expect(await build(order)).toEqual(kept);
    const other = await build(await orderOf({ ...shop, 'note.txt': 'other' }));
    await harness.runtime.retainArtefacts(new Set([kept.reference]));
    expect(await answerOf(planOf(kept))).toBe('by the Dockerfile');
    await expect(harness.runtime.roll(planOf(other), never)).rejects.toThrow('the image cannot be pulled');
  });
});
