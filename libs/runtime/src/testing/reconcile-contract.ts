import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { never, type RuntimeDriver } from './runtime-driver.js';
import { program } from './runtime-programs.js';

/** The part of the contract about stopping, removing and reconciling services. */
export const keepsThePromisesAboutReconciling = (driver: RuntimeDriver): void => {
  const { planOf, running, answerOf, isAnswered, linesOf } = driver;

  describe('stopping and reconciling', () => {
    it('stops a service permanently, and keeps its log lines and its address', async () => {
      const plan = await running(program.printing('good morning'));
      const url = await driver.runtime.urlOf(plan.webServiceId, plan.name);
      await driver.runtime.stop(plan.webServiceId);
      expect(await driver.runtime.statusOf(plan.webServiceId)).toBeUndefined();
      expect(await isAnswered(plan)).toBe(false);
      expect((await linesOf(plan.webServiceId)).map(({ message }) => message)).toContain('good morning');
      expect(await driver.runtime.urlOf(plan.webServiceId, plan.name)).toBe(url);
    });

    it('starts a stopped service again', async () => {
      const plan = await running(program.answering('hello'));
      await driver.runtime.stop(plan.webServiceId);
      await driver.runtime.roll({ ...plan, rollId: randomUUID() }, never);
      expect(await answerOf(plan)).toBe('hello');
    });

    it('removes a service with everything that is kept of it, also repeatedly', async () => {
      const { webServiceId, name } = await running(program.printing('good morning'));
      const { runtime } = driver;
      const url = await runtime.urlOf(webServiceId, name);
      await runtime.remove(webServiceId);
      expect(await runtime.statusOf(webServiceId)).toBeUndefined();
      expect(await linesOf(webServiceId)).toEqual([]);
      await expect(driver.harness.request(url)).rejects.toThrow();
      await runtime.remove(webServiceId);
      await runtime.remove(randomUUID());
    });

    it('stops a service without running instances', async () => {
      await driver.runtime.stop(randomUUID());
    });

    it('restarts killed instances, and reports that they were killed', async () => {
      const plan = await running(program.respondingUniquely);
      const itself = await answerOf(plan);
      await driver.harness.killInstances(plan.webServiceId);
      await waitFor(async () => (await isAnswered(plan)) && (await answerOf(plan)) !== itself, { timeoutMs: 20_000 });
      const status = await driver.runtime.statusOf(plan.webServiceId);
      expect(status).toMatchObject({ lastFailure: expect.any(String), restarts: 1 });
    });

    it('keeps running instances over a restart of the platform', async () => {
      const plan = await running(program.respondingUniquely);
      const itself = await answerOf(plan);
      await driver.harness.restart();
      expect(await answerOf(plan)).toBe(itself);
      await driver.runtime.reconcile([plan], new Set());
      expect(await answerOf(plan)).toBe(itself);
      expect(await driver.runtime.statusOf(plan.webServiceId)).toMatchObject({ rollId: plan.rollId, healthy: 1 });
    });

    it('starts missing instances of expected services, and ends unexpected services', async () => {
      const [wanted, unwanted] = [await planOf(program.answering('here')), await running(program.answering('gone'))];
      await driver.runtime.urlOf(wanted.webServiceId, wanted.name);
      await driver.runtime.reconcile([wanted], new Set());
      expect(await driver.runtime.statusOf(unwanted.webServiceId)).toBeUndefined();
      expect(await isAnswered(unwanted)).toBe(false);
      await waitFor(() => isAnswered(wanted), { describe: 'what was missing to answer', timeoutMs: 20_000 });
      expect(await answerOf(wanted)).toBe('here');
    });

    it('does not touch releases in progress', async () => {
      const silent = await planOf(program.silent, { deadlineMs: 20_000 });
      const abort = new AbortController();
      const rolling = expect(driver.runtime.roll(silent, abort.signal)).rejects.toThrow('enough');
      const begun = async () => (await linesOf(silent.webServiceId)).filter(({ message }) => message === 'here I am');
      await waitFor(async () => (await begun()).length === 1, { describe: 'the instance' });
      await driver.runtime.reconcile([], new Set([silent.webServiceId, silent.rollId]));
      expect(await driver.runtime.statusOf(silent.webServiceId)).toMatchObject({
        rollId: silent.rollId,
        instances: 1,
      });
      abort.abort(new Error('enough'));
      await rolling;
    });
  });
};
