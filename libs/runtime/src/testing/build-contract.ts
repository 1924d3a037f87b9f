import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { BuildFailed, RollFailed, SourceUnavailable } from '../runtime.js';
import { never, type RuntimeDriver } from './runtime-driver.js';
import { program } from './runtime-programs.js';

/** The part of the contract about sources, builds and artefacts. */
export const keepsThePromisesAboutBuilds = (driver: RuntimeDriver): void => {
  const { orderOf, build, built, planOf, running, answerOf, linesOf } = driver;

  describe('sources and builds', () => {
    it('finds the commit of the default branch, and of one by its name', async () => {
      const repositoryUrl = await driver.harness.makeRepository({ 'README.md': 'hello' });
      const found = await driver.runtime.resolveSource({ repositoryUrl, branch: undefined }, never);
      expect(found).toEqual({ branch: 'main', commit: expect.stringMatching(/^([0-9a-f]{40}|[0-9a-f]{64})$/) });
      expect(await driver.runtime.resolveSource({ repositoryUrl, branch: 'main' }, never)).toEqual(found);
    });

    it('reports a branch that does not exist', async () => {
      const repositoryUrl = await driver.harness.makeRepository({ 'README.md': 'hello' });
      const resolving = driver.runtime.resolveSource({ repositoryUrl, branch: 'nowhere' }, never);
      await expect(resolving).rejects.toBeInstanceOf(SourceUnavailable);
    });

    it('builds an order once, and returns the same artefact for a repeated order', async () => {
      const order = await orderOf({ 'server.mjs': program.answering('hello') }, { buildCommand: 'echo building' });
      const artefact = await build(order);
      expect(artefact.commit).toBe(order.commit);
      expect(await build(order)).toEqual(artefact);
      const lines = (await linesOf(order.webServiceId)).filter(({ message }) => message === 'building');
      expect(lines).toEqual([expect.objectContaining({ stream: 'build', instance: 'build' })]);
    });

    it('reports why a build failed, and logs its output without the secrets', async () => {
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

    it('ends a cancelled build, with the reason of the cancellation', async () => {
      const order = await orderOf({ 'README.md': 'hello' }, { buildCommand: 'echo begun; sleep 60' });
      const cancel = new AbortController();
      const output = driver.runtime.logWriter(order.webServiceId, 'build', []);
      const building = driver.runtime.build(order, output, cancel.signal);
      const ended = expect(building).rejects.toThrow('changed my mind');
      await waitFor(async () => (await linesOf(order.webServiceId)).some(({ message }) => message === 'begun'));
      cancel.abort(new Error('changed my mind'));
      await ended;
      await output.close();
    });

    it('retains the listed artefacts, and no others', async () => {
      const [kept, other] = [await built(program.answering('kept')), await built(program.answering('other'))];
      const inUse = await running('', { artefact: await built(program.answering('in use')) });
      await driver.runtime.retainArtefacts(new Set([kept.reference, inUse.artefact.reference]));
      expect(await answerOf(await running('', { artefact: kept }))).toBe('kept');
      const gone = await planOf('', { artefact: other });
      await expect(driver.runtime.roll(gone, never)).rejects.toBeInstanceOf(RollFailed);
    }, 120_000);
  });
};
