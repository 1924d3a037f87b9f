import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { type RuntimeDriver } from './runtime-driver.js';
import { program } from './runtime-programs.js';

/** The part of the contract about logs, usage and traffic. */
export const keepsThePromisesAboutObservation = (driver: RuntimeDriver): void => {
  const { running, request, linesOf } = driver;

  describe('logs, usage and traffic', () => {
    it('returns log lines in order, limited by number and by time', async () => {
      const plan = await running(program.printing('one', 'two', 'three'));
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
      expect(await driver.runtime.logs(plan.webServiceId, { tail: 10, since: later })).toEqual([]);
    });

    it('returns the log lines in pages, each line in one page', async () => {
      const { webServiceId } = await running(program.printing('one', 'two', 'three'));
      await waitFor(async () => (await linesOf(webServiceId)).length === 3, { describe: 'three lines' });
      const page = { tail: 10, maxLines: 2, maxBytes: 10_000 };
      const first = await driver.runtime.logPage(webServiceId, { ...page, after: undefined });
      const second = await driver.runtime.logPage(webServiceId, { ...page, after: first.next });
      expect([first, second].map(({ lines }) => lines.map(({ message }) => message))).toEqual([
        ['one', 'two'],
        ['three'],
      ]);
      expect([first.hasMore, second.hasMore, second.next]).toEqual([true, false, second.lines[0]?.id]);
    });

    it('masks the secrets of a service in its log lines', async () => {
      const code = program.printingVariable('KEY');
      const plan = await running(code, { environment: { KEY: 'abracadabra' }, secrets: ['abracadabra'] });
      await waitFor(async () => (await linesOf(plan.webServiceId)).length > 0, { describe: 'a line' });
      expect((await linesOf(plan.webServiceId)).map(({ message }) => message)).toEqual(['it is ********']);
    });

    it('measures the usage of running services relative to their limits, and no others', async () => {
      const instance = { memoryMib: 300, cpuMillicores: 500 };
      const runs = await running(program.answering('a'), { instance });
      const stopped = await running(program.answering('b'));
      await driver.runtime.stop(stopped.webServiceId);
      const usage = await waitFor(
        async () => (await driver.runtime.usage()).find(({ webServiceId }) => webServiceId === runs.webServiceId),
        { describe: 'the usage', timeoutMs: 60_000 },
      );
      expect(usage.instances).toBe(1);
      expect(usage.memoryBytes).toBeGreaterThan(1_000_000);
      expect(usage.memoryPercent).toBeCloseTo((100 * usage.memoryBytes) / (300 * 2 ** 20), 5);
      expect(Math.round((usage.cpuPercent * 500) / 100)).toBe(usage.cpuMillicores);
      const ids = (await driver.runtime.usage()).map(({ webServiceId }) => webServiceId);
      expect(ids).not.toContain(stopped.webServiceId);
    });

    it('reports traffic until it is confirmed, and not again afterwards; none if the runtime does not count it', async () => {
      const plan = await running(program.answering('x'.repeat(50_000)));
      await driver.runtime.takeTraffic(async () => {});
      if (!driver.harness.countsTraffic) {
        await request(plan);
        await driver.runtime.takeTraffic(async traffic => expect(traffic).toEqual([]));
        return;
      }
      await request(plan);
      const bytesOf = async (confirmed: boolean): Promise<number> => {
        let bytes = 0;
        const taken = driver.runtime.takeTraffic(async traffic => {
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
};
