import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { RollFailed } from '../runtime.js';
import { never, type RuntimeDriver } from './runtime-driver.js';
import { program } from './runtime-programs.js';

/** The part of the contract about rolls: which instances serve before, during and after a roll. */
export const keepsThePromisesAboutRolls = (driver: RuntimeDriver): void => {
  const { planOf, running, request, answerOf, isAnswered, linesOf } = driver;

  describe('rolls', () => {
    it('makes the service respond at its address, with the variables of the plan', async () => {
      const plan = await running(program.answeringVariable('GREETING'), { environment: { GREETING: 'good day' } });
      expect(await request(plan)).toEqual({ status: 200, body: 'good day' });
      const status = await driver.runtime.statusOf(plan.webServiceId);
      expect(status).toEqual({ rollId: plan.rollId, healthy: 1, instances: 1, lastFailure: undefined, restarts: 0 });
    });

    it('starts the minimum number of instances of the plan', async () => {
      const plan = await running(program.respondingUniquely, { minInstances: 2, maxInstances: 3 });
      expect(await driver.runtime.statusOf(plan.webServiceId)).toMatchObject({ healthy: 2, instances: 2 });
    });

    it('replaces the earlier release, at the same address', async () => {
      const before = await running(program.answering('old'));
      const url = await driver.runtime.urlOf(before.webServiceId, before.name);
      const after = await running(program.answering('new'), { webServiceId: before.webServiceId });
      expect(await answerOf(after)).toBe('new');
      expect(await driver.runtime.urlOf(after.webServiceId, after.name)).toBe(url);
      expect(await driver.runtime.statusOf(after.webServiceId)).toMatchObject({
        rollId: after.rollId,
        instances: 1,
      });
    });

    it('returns to an earlier artefact and configuration as to any other', async () => {
      const first = await running(program.answeringVariable('TEXT'), { environment: { TEXT: 'first' } });
      await running(program.answering('second'), { webServiceId: first.webServiceId });
      await driver.runtime.roll({ ...first, rollId: randomUUID() }, never);
      expect(await answerOf(first)).toBe('first');
    });

    it('changes nothing when the same roll is repeated', async () => {
      const plan = await running(program.respondingUniquely);
      const itself = await answerOf(plan);
      await driver.runtime.roll(plan, never);
      expect(await answerOf(plan)).toBe(itself);
    });

    it('loses no request', async () => {
      const before = await running(program.answering('old'), { minInstances: 2, maxInstances: 2 });
      const { webServiceId } = before;
      const plan = await planOf(program.answering('new'), { webServiceId, minInstances: 2, maxInstances: 2 });
      const seen: string[] = [];
      const rolled = new AbortController();
      const visitor = async () => {
        while (!rolled.signal.aborted) {
          const { status, body } = await request(before);
          seen.push(`${status} ${body}`);
        }
      };
      const visitors = [visitor(), visitor()];
      await driver.runtime.roll(plan, never);
      await waitFor(() => seen.includes('200 new'), { describe: 'the new answer' });
      rolled.abort();
      await Promise.all(visitors);
      expect([...new Set(seen)].sort()).toEqual(['200 new', '200 old']);
    });

    it('requests the health check path, and accepts no other response', async () => {
      const unhealthy = await planOf(program.unhealthy, { healthCheckPath: '/health', deadlineMs: 3_000 });
      const rolling = driver.runtime.roll(unhealthy, never);
      await expect(rolling).rejects.toBeInstanceOf(RollFailed);
      await expect(rolling).rejects.toThrow(/500/);
      await driver.runtime.roll({ ...unhealthy, rollId: randomUUID(), healthCheckPath: '/' }, never);
      expect(await isAnswered(unhealthy)).toBe(true);
    });

    it('fails with the last log lines of an instance that crashes, and the earlier release keeps the traffic', async () => {
      const before = await running(program.answering('old'));
      const crashing = await planOf(program.crashing('no database at hand'), {
        webServiceId: before.webServiceId,
        deadlineMs: 5_000,
      });
      const rolling = driver.runtime.roll(crashing, never);
      await expect(rolling).rejects.toBeInstanceOf(RollFailed);
      await expect(rolling).rejects.toThrow('no database at hand');
      expect(await answerOf(before)).toBe('old');
      expect((await driver.runtime.statusOf(before.webServiceId))?.rollId).toBe(before.rollId);
    });

    it('can be aborted; then the traffic stays where it was', async () => {
      const before = await running(program.answering('old'));
      const silent = await planOf(program.silent, { webServiceId: before.webServiceId });
      const abort = new AbortController();
      const rolling = expect(driver.runtime.roll(silent, abort.signal)).rejects.toThrow('not any more');
      await waitFor(async () => (await linesOf(before.webServiceId)).some(({ message }) => message === 'here I am'));
      abort.abort(new Error('not any more'));
      await rolling;
      expect(await answerOf(before)).toBe('old');
    });
  });
};
