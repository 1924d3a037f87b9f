import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import {
  type Artefact,
  BuildFailed,
  type BuildOrder,
  type LogLine,
  RollFailed,
  type Runtime,
  type ServicePlan,
  SourceUnavailable,
} from '../runtime.js';
import { program } from './runtime-programs.js';

/** What the suite needs beside the port: the world around the runtime. */
export interface RuntimeHarness {
  /** Whether something in this world counts the bytes of each service. */
  readonly countsTraffic: boolean;
  /** Another one after `restart`. */
  readonly runtime: Runtime;
  /** A repository with these files on its branch `main`; answers its address. */
  makeRepository(files: Readonly<Record<string, string>>): Promise<string>;
  /** As a visitor of the address would; rejects when nobody answers. */
  ask(url: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Ends the process that holds the runtime, and gives the machine to another. */
  restart(): Promise<void>;
  /** Kills all instances of the service, behind the runtime's back. */
  killInstances(webServiceId: string): Promise<void>;
  stop(): Promise<void>;
}

const never = new AbortController().signal;

/** The promises that every runtime keeps, whatever runs the web services. */
export const keepsThePromisesOfARuntime = (start: () => Promise<RuntimeHarness>): void => {
  describe('as a runtime', () => {
    let harness: RuntimeHarness;
    beforeAll(async () => {
      harness = await start();
    }, 120_000);
    afterAll(() => harness?.stop(), 120_000);

    const sourceOf = async (files: Readonly<Record<string, string>>) => {
      const repositoryUrl = await harness.makeRepository(files);
      const { commit } = await harness.runtime.resolveSource({ repositoryUrl, branch: undefined }, never);
      return { repositoryUrl, commit };
    };

    const orderOf = async (files: Readonly<Record<string, string>>, changes: Partial<BuildOrder> = {}) => ({
      deploymentId: randomUUID(),
      webServiceId: randomUUID(),
      ...(await sourceOf(files)),
      buildCommand: undefined,
      startCommand: 'node server.mjs',
      environment: {},
      secrets: [],
      deadlineMs: 60_000,
      ...changes,
    });

    /** Builds, and keeps the output as the platform does. */
    const build = async (order: BuildOrder): Promise<Artefact> => {
      const output = harness.runtime.logWriter(order.webServiceId, 'build', order.secrets);
      try {
        return await harness.runtime.build(order, output, never);
      } finally {
        await output.close();
      }
    };

    const built = async (server: string): Promise<Artefact> => build(await orderOf({ 'server.mjs': server }));

    const planOf = async (server: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> => ({
      webServiceId: randomUUID(),
      name: 'shop',
      rollId: randomUUID(),
      artefact: changes.artefact ?? (await built(server)),
      startCommand: 'node server.mjs',
      port: 8080,
      healthCheckPath: undefined,
      minInstances: 1,
      maxInstances: 1,
      environment: {},
      secrets: [],
      deadlineMs: 30_000,
      ...changes,
    });

    const running = async (server: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> => {
      const plan = await planOf(server, changes);
      await harness.runtime.roll(plan, never);
      return plan;
    };

    const ask = async ({ webServiceId, name }: ServicePlan, path = '/') =>
      harness.ask(new URL(path, await harness.runtime.urlOf(webServiceId, name)).href);

    const answerOf = async (plan: ServicePlan, path?: string) => (await ask(plan, path)).body;

    const isAnswered = async (plan: ServicePlan): Promise<boolean> =>
      ask(plan).then(
        ({ status }) => status === 200,
        () => false,
      );

    const linesOf = (webServiceId: string, tail = 1_000): Promise<readonly LogLine[]> =>
      harness.runtime.logs(webServiceId, { tail, since: undefined });

    describe('sources and builds', () => {
      it('finds the commit of the default branch, and of one by its name', async () => {
        const repositoryUrl = await harness.makeRepository({ 'README.md': 'hello' });
        const found = await harness.runtime.resolveSource({ repositoryUrl, branch: undefined }, never);
        expect(found).toEqual({ branch: 'main', commit: expect.stringMatching(/^([0-9a-f]{40}|[0-9a-f]{64})$/) });
        expect(await harness.runtime.resolveSource({ repositoryUrl, branch: 'main' }, never)).toEqual(found);
      });

      it('says so when there is no such branch', async () => {
        const repositoryUrl = await harness.makeRepository({ 'README.md': 'hello' });
        const resolving = harness.runtime.resolveSource({ repositoryUrl, branch: 'nowhere' }, never);
        await expect(resolving).rejects.toBeInstanceOf(SourceUnavailable);
      });

      it('builds an order once, and answers with the same artefact when it is asked for again', async () => {
        const order = await orderOf({ 'server.mjs': program.answering('hello') }, { buildCommand: 'echo building' });
        const artefact = await build(order);
        expect(artefact.commit).toBe(order.commit);
        expect(await build(order)).toEqual(artefact);
        const said = (await linesOf(order.webServiceId)).filter(({ message }) => message === 'building');
        expect(said).toEqual([expect.objectContaining({ stream: 'build', instance: 'build' })]);
      });

      it('says why a build failed, and shows its output without the secrets', async () => {
        const order = await orderOf(
          { 'README.md': 'hello' },
          {
            buildCommand: 'echo "the key is $KEY"; exit 3',
            environment: { KEY: 'open sesame' },
            secrets: ['open sesame'],
          },
        );
        const building = build(order);
        await expect(building).rejects.toBeInstanceOf(BuildFailed);
        await expect(building).rejects.toThrow('exited with code 3');
        expect((await linesOf(order.webServiceId)).map(({ message }) => message)).toContain('the key is ********');
      });

      it('ends a build that is cancelled, with the reason it was given', async () => {
        const order = await orderOf({ 'README.md': 'hello' }, { buildCommand: 'echo begun; sleep 60' });
        const cancel = new AbortController();
        const output = harness.runtime.logWriter(order.webServiceId, 'build', []);
        const building = harness.runtime.build(order, output, cancel.signal);
        const ended = expect(building).rejects.toThrow('changed my mind');
        await waitFor(async () => (await linesOf(order.webServiceId)).some(({ message }) => message === 'begun'));
        cancel.abort(new Error('changed my mind'));
        await ended;
        await output.close();
      });

      it('keeps the artefacts that it is told to keep, and no others', async () => {
        const [kept, other] = [await built(program.answering('kept')), await built(program.answering('other'))];
        const inUse = await running('', { artefact: await built(program.answering('in use')) });
        await harness.runtime.retainArtefacts(new Set([kept.reference, inUse.artefact.reference]));
        expect(await answerOf(await running('', { artefact: kept }))).toBe('kept');
        const gone = await planOf('', { artefact: other });
        await expect(harness.runtime.roll(gone, never)).rejects.toBeInstanceOf(RollFailed);
      });
    });

    describe('rolls', () => {
      it('makes the service answer at its address, with the variables of the plan', async () => {
        const plan = await running(program.answeringVariable('GREETING'), { environment: { GREETING: 'good day' } });
        expect(await ask(plan)).toEqual({ status: 200, body: 'good day' });
        const status = await harness.runtime.statusOf(plan.webServiceId);
        expect(status).toEqual({ rollId: plan.rollId, healthy: 1, instances: 1, lastFailure: undefined, restarts: 0 });
      });

      it('starts as many instances as the plan says at least', async () => {
        const plan = await running(program.answeringItself, { minInstances: 2, maxInstances: 3 });
        expect(await harness.runtime.statusOf(plan.webServiceId)).toMatchObject({ healthy: 2, instances: 2 });
      });

      it('replaces what ran before, at the same address', async () => {
        const before = await running(program.answering('old'));
        const url = await harness.runtime.urlOf(before.webServiceId, before.name);
        const after = await running(program.answering('new'), { webServiceId: before.webServiceId });
        expect(await answerOf(after)).toBe('new');
        expect(await harness.runtime.urlOf(after.webServiceId, after.name)).toBe(url);
        expect(await harness.runtime.statusOf(after.webServiceId)).toMatchObject({
          rollId: after.rollId,
          instances: 1,
        });
      });

      it('goes back to an earlier artefact and configuration as to any other', async () => {
        const first = await running(program.answeringVariable('TEXT'), { environment: { TEXT: 'first' } });
        await running(program.answering('second'), { webServiceId: first.webServiceId });
        await harness.runtime.roll({ ...first, rollId: randomUUID() }, never);
        expect(await answerOf(first)).toBe('first');
      });

      it('changes nothing when the same roll is asked for again', async () => {
        const plan = await running(program.answeringItself);
        const itself = await answerOf(plan);
        await harness.runtime.roll(plan, never);
        expect(await answerOf(plan)).toBe(itself);
      });

      it('costs no request', async () => {
        const before = await running(program.answering('old'), { minInstances: 2, maxInstances: 2 });
        const { webServiceId } = before;
        const plan = await planOf(program.answering('new'), { webServiceId, minInstances: 2, maxInstances: 2 });
        const seen: string[] = [];
        const rolled = new AbortController();
        const visitor = async () => {
          while (!rolled.signal.aborted) {
            const { status, body } = await ask(before);
            seen.push(`${status} ${body}`);
          }
        };
        const visitors = [visitor(), visitor()];
        await harness.runtime.roll(plan, never);
        await waitFor(() => seen.includes('200 new'), { describe: 'the new answer' });
        rolled.abort();
        await Promise.all(visitors);
        expect([...new Set(seen)].sort()).toEqual(['200 new', '200 old']);
      });

      it('asks the path of the health check, and believes nothing else', async () => {
        const unwell = await planOf(program.unwell, { healthCheckPath: '/health', deadlineMs: 3_000 });
        const rolling = harness.runtime.roll(unwell, never);
        await expect(rolling).rejects.toBeInstanceOf(RollFailed);
        await expect(rolling).rejects.toThrow(/500/);
        await harness.runtime.roll({ ...unwell, rollId: randomUUID(), healthCheckPath: '/' }, never);
        expect(await isAnswered(unwell)).toBe(true);
      });

      it('fails with the last words of an instance that crashes, and the traffic stays where it was', async () => {
        const before = await running(program.answering('old'));
        const crashing = await planOf(program.crashing('no database at hand'), {
          webServiceId: before.webServiceId,
          deadlineMs: 5_000,
        });
        const rolling = harness.runtime.roll(crashing, never);
        await expect(rolling).rejects.toBeInstanceOf(RollFailed);
        await expect(rolling).rejects.toThrow('no database at hand');
        expect(await answerOf(before)).toBe('old');
        expect((await harness.runtime.statusOf(before.webServiceId))?.rollId).toBe(before.rollId);
      });

      it('can be aborted; then the traffic stays where it was', async () => {
        const before = await running(program.answering('old'));
        const silent = await planOf(program.silent, { webServiceId: before.webServiceId });
        const abort = new AbortController();
        const rolling = expect(harness.runtime.roll(silent, abort.signal)).rejects.toThrow('not any more');
        await waitFor(async () => (await linesOf(before.webServiceId)).some(({ message }) => message === 'here I am'));
        abort.abort(new Error('not any more'));
        await rolling;
        expect(await answerOf(before)).toBe('old');
      });
    });

    describe('stopping and reconciling', () => {
      it('stops a service for good, and keeps its lines and its address', async () => {
        const plan = await running(program.saying('good morning'));
        const url = await harness.runtime.urlOf(plan.webServiceId, plan.name);
        await harness.runtime.stop(plan.webServiceId);
        expect(await harness.runtime.statusOf(plan.webServiceId)).toBeUndefined();
        expect(await isAnswered(plan)).toBe(false);
        expect((await linesOf(plan.webServiceId)).map(({ message }) => message)).toContain('good morning');
        expect(await harness.runtime.urlOf(plan.webServiceId, plan.name)).toBe(url);
      });

      it('starts a stopped service again', async () => {
        const plan = await running(program.answering('hello'));
        await harness.runtime.stop(plan.webServiceId);
        await harness.runtime.roll({ ...plan, rollId: randomUUID() }, never);
        expect(await answerOf(plan)).toBe('hello');
      });

      it('stops a service of which nothing runs', async () => {
        await harness.runtime.stop(randomUUID());
      });

      it('brings instances back that were killed, and says that they were', async () => {
        const plan = await running(program.answeringItself);
        const itself = await answerOf(plan);
        await harness.killInstances(plan.webServiceId);
        await waitFor(async () => (await isAnswered(plan)) && (await answerOf(plan)) !== itself, { timeoutMs: 20_000 });
        const status = await harness.runtime.statusOf(plan.webServiceId);
        expect(status).toMatchObject({ lastFailure: expect.any(String), restarts: 1 });
      });

      it('continues with what runs after a restart of the platform', async () => {
        const plan = await running(program.answeringItself);
        const itself = await answerOf(plan);
        await harness.restart();
        expect(await answerOf(plan)).toBe(itself);
        await harness.runtime.reconcile([plan], new Set());
        expect(await answerOf(plan)).toBe(itself);
        expect(await harness.runtime.statusOf(plan.webServiceId)).toMatchObject({ rollId: plan.rollId, healthy: 1 });
      });

      it('starts what is expected and missing, and ends what is not expected', async () => {
        const [wanted, unwanted] = [await planOf(program.answering('here')), await running(program.answering('gone'))];
        await harness.runtime.urlOf(wanted.webServiceId, wanted.name);
        await harness.runtime.reconcile([wanted], new Set());
        expect(await harness.runtime.statusOf(unwanted.webServiceId)).toBeUndefined();
        expect(await isAnswered(unwanted)).toBe(false);
        await waitFor(() => isAnswered(wanted), { describe: 'what was missing to answer', timeoutMs: 20_000 });
        expect(await answerOf(wanted)).toBe('here');
      });

      it('leaves releases under way alone', async () => {
        const silent = await planOf(program.silent, { deadlineMs: 20_000 });
        const abort = new AbortController();
        const rolling = expect(harness.runtime.roll(silent, abort.signal)).rejects.toThrow('enough');
        const begun = async () => (await linesOf(silent.webServiceId)).filter(({ message }) => message === 'here I am');
        await waitFor(async () => (await begun()).length === 1, { describe: 'the instance' });
        await harness.runtime.reconcile([], new Set([silent.webServiceId, silent.rollId]));
        expect(await harness.runtime.statusOf(silent.webServiceId)).toMatchObject({
          rollId: silent.rollId,
          instances: 1,
        });
        abort.abort(new Error('enough'));
        await rolling;
      });
    });

    describe('looking on', () => {
      it('keeps lines in order, the last so many of them, since when they are asked for', async () => {
        const plan = await running(program.saying('one', 'two', 'three'));
        await waitFor(async () => (await linesOf(plan.webServiceId)).length === 3, { describe: 'three lines' });
        const lines = await linesOf(plan.webServiceId);
        expect(lines.map(({ message, stream }) => `${stream} ${message}`)).toEqual([
          'stdout one',
          'stdout two',
          'stdout three',
        ]);
        expect(new Set(lines.map(({ instance }) => instance)).size).toBe(1);
        expect((await linesOf(plan.webServiceId, 2)).map(({ message }) => message)).toEqual(['two', 'three']);
        const later = Math.floor(Date.now() / 1_000) + 10;
        expect(await harness.runtime.logs(plan.webServiceId, { tail: 10, since: later })).toEqual([]);
      });

      it('masks the secrets of a service in its lines', async () => {
        const code = program.sayingVariable('KEY');
        const plan = await running(code, { environment: { KEY: 'abracadabra' }, secrets: ['abracadabra'] });
        await waitFor(async () => (await linesOf(plan.webServiceId)).length > 0, { describe: 'a line' });
        expect((await linesOf(plan.webServiceId)).map(({ message }) => message)).toEqual(['it is ********']);
      });

      it('measures the services that run, and no others', async () => {
        const [runs, stopped] = [await running(program.answering('a')), await running(program.answering('b'))];
        await harness.runtime.stop(stopped.webServiceId);
        const usage = await waitFor(
          async () => (await harness.runtime.usage()).find(({ webServiceId }) => webServiceId === runs.webServiceId),
          { describe: 'the usage', timeoutMs: 60_000 },
        );
        expect(usage.instances).toBe(1);
        expect(usage.memoryBytes).toBeGreaterThan(1_000_000);
        expect(usage.memoryPercent).toBeGreaterThan(0);
        const ids = (await harness.runtime.usage()).map(({ webServiceId }) => webServiceId);
        expect(ids).not.toContain(stopped.webServiceId);
      });

      it('counts traffic until it is confirmed, and not again afterwards; none, where nothing counts it', async () => {
        const plan = await running(program.answering('x'.repeat(50_000)));
        await harness.runtime.takeTraffic(async () => {});
        if (!harness.countsTraffic) {
          await ask(plan);
          await harness.runtime.takeTraffic(async traffic => expect(traffic).toEqual([]));
          return;
        }
        await ask(plan);
        const bytesOf = async (confirmed: boolean): Promise<number> => {
          let bytes = 0;
          const taken = harness.runtime.takeTraffic(async traffic => {
            bytes = traffic.find(({ webServiceId }) => webServiceId === plan.webServiceId)?.bytes ?? 0;
            if (!confirmed) throw new Error('not written down');
          });
          await taken.catch(() => {});
          return bytes;
        };
        const bytes = await waitFor(async () => (await bytesOf(false)) || undefined, { describe: 'traffic' });
        expect(bytes).toBeGreaterThan(50_000);
        expect(await bytesOf(true)).toBe(bytes);
        expect(await bytesOf(true)).toBe(0);
      });
    });
  });
};
