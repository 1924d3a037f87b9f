import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import type { RunOrder } from '../commands.js';
import { RollFailed } from '../runtime.js';
import type { RuntimeFeature } from '../runtime-feature.js';
import type { ServicePlan } from '../service-plan.js';
import type { RuntimeHarness } from './runtime-harness.js';
import { program } from './runtime-programs.js';

const never = new AbortController().signal;

const FILES = {
  'server.mjs': program.answering('hello'),
  'worker.mjs':
    "console.log('works on ' + process.env.QUEUE + ', port ' + process.env.PORT); setInterval(() => {}, 1_000);",
  Procfile: 'web: node server.mjs\nworker: node worker.mjs\nbroken: echo oops >&2; exit 7\n',
};

/** The part of the contract about release commands and one-off commands, for runtimes with these features. */
export const commandContract = (start: () => Promise<RuntimeHarness>): void => {
  describe('as a runtime of commands', () => {
    let harness: RuntimeHarness;
    let features: ReadonlySet<RuntimeFeature>;
    let built: ServicePlan;
    beforeAll(async () => {
      harness = await start();
      features = await harness.runtime.features();
      built = await build();
    }, 180_000);
    afterAll(() => harness?.stop(), 120_000);

    const build = async (): Promise<ServicePlan> => {
      const webServiceId = randomUUID();
      const repositoryUrl = await harness.makeRepository(FILES);
      const { commit } = await harness.runtime.resolveSource({ repositoryUrl, branch: undefined }, never);
      const output = harness.runtime.logWriter(webServiceId, 'build', []);
      const order = {
        ...{ deploymentId: randomUUID(), webServiceId, repositoryUrl, commit, buildCommand: undefined },
        ...{ startCommand: 'node server.mjs', environment: {}, secrets: [], deadlineMs: 60_000 },
      };
      const artefact = await harness.runtime.build(order, output, never);
      await output.close();
      return {
        ...{ webServiceId, name: 'shop', rollId: randomUUID(), artefact, startCommand: 'node server.mjs', port: 8080 },
        ...{ healthCheckPath: undefined, minInstances: 1, maxInstances: 1, environment: {}, secrets: [] },
        deadlineMs: 60_000,
      };
    };

    /** A new roll of the only web service of this suite. */
    const planOf = (changes: Partial<ServicePlan> = {}): ServicePlan => ({
      ...built,
      rollId: randomUUID(),
      ...changes,
    });

    const runOf = (command: string, changes: Partial<RunOrder> = {}): RunOrder => {
      const runId = randomUUID();
      const { webServiceId, artefact } = built;
      return {
        ...{ runId, webServiceId, instance: `run-${runId.slice(-12)}`, artefact, command, environment: {} },
        ...{ secrets: [], size: undefined, deadlineMs: 60_000 },
        ...changes,
      };
    };

    const linesOf = async (webServiceId: string, instance: string): Promise<readonly string[]> => {
      const lines = await harness.runtime.logs(webServiceId, { tail: 1_000, since: undefined, instance });
      return lines.map(({ stream, message }) => `${stream} ${message}`);
    };

    const countOf = async (webServiceId: string, instance: string, line: string): Promise<number> =>
      (await linesOf(webServiceId, instance)).filter(each => each === line).length;

    /** A test of a feature; a runtime without the feature has to refuse commands. */
    const promises = (feature: RuntimeFeature, title: string, test: () => Promise<void>): void =>
      it(title, async () => {
        if (features.has(feature)) await test();
        else await expect(harness.runtime.run(runOf('true'), never)).rejects.toThrow('does not support commands');
      }, 120_000);

    promises(
      'releaseCommand',
      'runs the release command with the environment of the release, and masks its secrets',
      async () => {
        const releaseCommand = 'echo "migrates $TARGET with $KEY"';
        const environment = { TARGET: 'shop', KEY: 'abracadabra' };
        const plan = planOf({ releaseCommand, environment, secrets: ['abracadabra'] });
        await harness.runtime.roll(plan, never);
        expect(await linesOf(plan.webServiceId, 'release')).toContain('build migrates shop with ********');
      },
    );

    promises('releaseCommand', 'runs the release command once, however often the roll is repeated', async () => {
      const plan = planOf({ releaseCommand: 'echo once' });
      await harness.runtime.roll(plan, never);
      await harness.runtime.roll(plan, never);
      await harness.restart();
      await harness.runtime.roll(plan, never);
      expect(await countOf(plan.webServiceId, 'release', 'build once')).toBe(1);
    });

    promises(
      'releaseCommand',
      'fails a roll whose release command fails; the earlier release keeps serving',
      async () => {
        const before = planOf();
        await harness.runtime.roll(before, never);
        const { webServiceId } = before;
        const plan = planOf({ webServiceId, releaseCommand: 'echo "no such table" >&2; exit 4' });
        const rolling = harness.runtime.roll(plan, never);
        await expect(rolling).rejects.toBeInstanceOf(RollFailed);
        await expect(rolling).rejects.toThrow(/the release command exited with code 4\nno such table/);
        await expect(harness.runtime.roll(plan, never)).rejects.toThrow('the release command exited with code 4');
        expect(await countOf(webServiceId, 'release', 'build no such table')).toBe(1);
        expect(await harness.runtime.statusOf(webServiceId)).toMatchObject({ rollId: before.rollId, healthy: 1 });
      },
    );

    promises('releaseCommand', 'waits for the same release command after a restart of the platform', async () => {
      const plan = planOf({ releaseCommand: 'echo migrating; sleep 3; echo migrated' });
      const rolling = harness.runtime.roll(plan, never).catch(() => {});
      await waitFor(async () => (await countOf(plan.webServiceId, 'release', 'build migrating')) === 1);
      await harness.restart();
      await harness.runtime.roll(plan, never);
      await rolling;
      expect(await countOf(plan.webServiceId, 'release', 'build migrating')).toBe(1);
      expect(await countOf(plan.webServiceId, 'release', 'build migrated')).toBe(1);
    });

    promises('secretFiles', 'shows secret files to commands, release commands and instances', async () => {
      const files = { 'tls/key.pem': Buffer.from('a private key\n').toString('base64') };
      const order = runOf('cat /etc/secrets/tls/key.pem', { files });
      expect(await harness.runtime.run(order, never)).toEqual({ exitCode: 0, reason: null });
      expect(await linesOf(order.webServiceId, order.instance)).toEqual(['stdout a private key']);
      const startCommand = 'cat /etc/secrets/tls/key.pem; exec node server.mjs';
      const plan = planOf({ files, startCommand, releaseCommand: 'cat /etc/secrets/tls/key.pem' });
      await harness.runtime.roll(plan, never);
      expect(await linesOf(plan.webServiceId, 'release')).toContain('build a private key');
      const lines = await harness.runtime.logs(plan.webServiceId, { tail: 1_000, since: undefined });
      expect(lines.filter(({ stream }) => stream === 'stdout').map(({ message }) => message)).toContain(
        'a private key',
      );
    });

    promises('runs', 'runs a command with the environment, and returns its exit code', async () => {
      const order = runOf('echo "hello $WHOM"; ls *.mjs; exit 3', { environment: { WHOM: 'world' } });
      const end = await harness.runtime.run(order, never);
      expect(end).toEqual({ exitCode: 3, reason: 'exited with code 3' });
      expect(await linesOf(order.webServiceId, order.instance)).toEqual([
        'stdout hello world',
        'stdout server.mjs',
        'stdout worker.mjs',
      ]);
    });

    promises('runs', 'returns the result of a command that is requested again, without running it again', async () => {
      const order = runOf('echo ran');
      expect(await harness.runtime.run(order, never)).toEqual({ exitCode: 0, reason: null });
      await harness.restart();
      expect(await harness.runtime.run(order, never)).toEqual({ exitCode: 0, reason: null });
      expect(await linesOf(order.webServiceId, order.instance)).toEqual(['stdout ran']);
    });

    promises('runs', 'waits for the same command after a restart of the platform', async () => {
      const order = runOf('echo begun; sleep 3; exit 5');
      const running = harness.runtime.run(order, never).catch(() => {});
      await waitFor(async () => (await linesOf(order.webServiceId, order.instance)).includes('stdout begun'));
      await harness.restart();
      expect(await harness.runtime.run(order, never)).toMatchObject({ exitCode: 5 });
      await running;
      expect(await linesOf(order.webServiceId, order.instance)).toEqual(['stdout begun']);
    });

    promises('runs', 'ends a command that is cancelled, and never runs it again', async () => {
      const order = runOf('echo begun; sleep 60');
      const cancel = new AbortController();
      const running = expect(harness.runtime.run(order, cancel.signal)).rejects.toThrow('not any more');
      await waitFor(async () => (await linesOf(order.webServiceId, order.instance)).includes('stdout begun'));
      cancel.abort(new Error('not any more'));
      await running;
      expect(await harness.runtime.run(order, never)).toEqual({ exitCode: null, reason: 'was cancelled' });
    });

    promises('runs', 'ends a command at its deadline, and with its service', async () => {
      const late = await harness.runtime.run(runOf('sleep 60', { deadlineMs: 500 }), never);
      expect(late).toEqual({ exitCode: null, reason: 'did not finish before its deadline' });
      const order = runOf('echo begun; sleep 60');
      const running = harness.runtime.run(order, never);
      await waitFor(async () => (await linesOf(order.webServiceId, order.instance)).includes('stdout begun'));
      await harness.runtime.stop(order.webServiceId);
      expect(await running).toMatchObject({ exitCode: null, reason: 'stopped because the web service was stopped' });
    });

    const workersOf = async (): Promise<readonly string[]> => {
      const lines = await harness.runtime.logs(built.webServiceId, { tail: 1_000, since: undefined });
      return lines.filter(({ instance }) => instance.startsWith('worker-')).map(({ message }) => message);
    };

    const processesOf = async () => (await harness.runtime.statusOf(built.webServiceId))?.processes;

    promises('processes', 'runs processes of the Procfile without a port, and continues after a restart', async () => {
      const plan = planOf({ processes: { worker: 2 }, environment: { QUEUE: 'mails' } });
      await harness.runtime.roll(plan, never);
      const both = ['works on mails, port undefined', 'works on mails, port undefined'];
      await waitFor(async () => (await workersOf()).length === 2, { timeoutMs: 30_000 });
      expect(await workersOf()).toEqual(both);
      await harness.restart();
      await harness.runtime.reconcile([plan], new Set());
      expect(await processesOf()).toEqual({ worker: { instances: 2, failure: null } });
      expect(await workersOf()).toEqual(both);
      await harness.runtime.roll(planOf(), never);
      expect(await processesOf()).toBeUndefined();
    });

    promises('processes', 'starts missing processes, and ends those of a service that is stopped', async () => {
      const plan = planOf({ processes: { worker: 1 } });
      await harness.runtime.roll(plan, never);
      await harness.killInstances(plan.webServiceId);
      const seen = (await workersOf()).length;
      await waitFor(async () => (await workersOf()).length > seen, { timeoutMs: 30_000 });
      await harness.runtime.reconcile([{ ...plan, processes: { worker: 2 } }], new Set());
      await waitFor(async () => (await processesOf())?.['worker']?.instances === 2, { timeoutMs: 30_000 });
      await harness.runtime.stop(plan.webServiceId);
      expect(await harness.runtime.statusOf(plan.webServiceId)).toBeUndefined();
    });

    promises(
      'processes',
      'reports which process is in a crash loop, while the service continues to serve',
      async () => {
        const plan = planOf({ processes: { broken: 1 } });
        await harness.runtime.roll(plan, never);
        const failure = await waitFor(async () => (await processesOf())?.['broken']?.failure ?? undefined, {
          timeoutMs: 60_000,
        });
        expect(failure).toMatch(/restarted \d+ times in \d+ s: broken-\w+ exited with code 7/);
        expect(await harness.runtime.statusOf(plan.webServiceId)).toMatchObject({ healthy: 1 });
      },
    );

    promises('processes', 'fails a roll whose Procfile lacks a process', async () => {
      const rolling = harness.runtime.roll(planOf({ processes: { mailer: 1 } }), never);
      await expect(rolling).rejects.toThrow('the Procfile of this release has no process type mailer');
    });
  });
};
