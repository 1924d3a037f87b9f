import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LoadBalancerClient } from '@postern/load-balancer-client';
import type { ServicePlan } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { LocalRuntimeFixture } from '../testing/local-runtime-fixture.js';
import { server } from '../testing/servers.js';

const never = new AbortController().signal;
const CLOSES = `process.on('SIGTERM', () => server.close(() => process.exit(0)));`;

const SERVERS: readonly (readonly [string, string, string | undefined])[] = [
  ['a server without a handler of SIGTERM', server.long(), undefined],
  ['a server with a handler of SIGTERM', server.long(CLOSES), undefined],
  ['a server that replaces its shell', server.long(), 'node server.mjs'],
  ['a server whose shell stays its parent', server.long(CLOSES), 'true; node server.mjs; true'],
];

describe('The instance that a roll replaces', () => {
  let fixture: LocalRuntimeFixture;
  beforeEach(async () => {
    fixture = await LocalRuntimeFixture.start();
  });
  afterEach(() => fixture.stop());

  const runs = async (code: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> => {
    const plan = await fixture.plan(code, changes);
    await fixture.runtime.roll(plan, never);
    return plan;
  };

  const replaced = async ({ webServiceId, startCommand, drainSeconds }: ServicePlan, code: string) => {
    const plan = await fixture.plan(code, {
      webServiceId,
      startCommand,
      ...(drainSeconds !== undefined && { drainSeconds }),
    });
    await fixture.runtime.roll(plan, never);
  };

  const underWay = (count: number) =>
    waitFor(
      async () => {
        const [route] = await new LoadBalancerClient(fixture.home).routes();
        return route?.backends.reduce((sum, backend) => sum + backend.underWay, 0) === count;
      },
      { describe: 'the requests under way' },
    );

  describe.each(SERVERS)('%s', (_, code, startCommand) => {
    it('finishes a long POST and a long GET, each of which runs once', async () => {
      const plan = await runs(code, { startCommand, drainSeconds: 8 });
      const answers = [fixture.visit(plan, '/?2500', { method: 'POST', body: 'order' }), fixture.visit(plan, '/?3000')];
      await underWay(2);
      await replaced(plan, code);
      expect((await Promise.all(answers)).map(({ status, body }) => `${status} ${body}`)).toEqual([
        '200 late',
        '200 late',
      ]);
      const began = (await fixture.messages(plan)).filter(line => line.startsWith('began'));
      expect(began.sort()).toEqual(['began GET', 'began POST']);
      // The shells of commands must have ended too.
      expect(await fixture.records(plan)).toHaveLength(1);
    });
  });

  it('answers every POST while it is replaced again and again', async () => {
    const plan = await runs(server.long());
    const statuses: number[] = [];
    let over = false;
    const visitors = Array.from({ length: 20 }, async () => {
      while (!over) statuses.push((await fixture.visit(plan, '/?300', { method: 'POST', body: 'order' })).status);
    });
    for (let restarts = 0; restarts < 3; restarts += 1) await replaced(plan, server.long());
    over = true;
    await Promise.all(visitors);
    expect([...new Set(statuses)]).toEqual([200]);
    expect(statuses.length).toBeGreaterThan(60);
  });

  it('keeps a WebSocket until the end of the drain, which closes it with 1001', async () => {
    const plan = await runs(server.long(), { drainSeconds: 2, startCommand: 'true; node server.mjs; true' });
    const url = await fixture.runtime.urlOf(plan.webServiceId, plan.name);
    const socket = new WebSocket(url.replace('http', 'ws'));
    const closed = new Promise<number>(resolve => socket.addEventListener('close', ({ code }) => resolve(code)));
    await new Promise(resolve => socket.addEventListener('open', resolve));
    const began = performance.now();
    await replaced(plan, server.long());
    expect(await closed).toBe(1001);
    expect(performance.now() - began).toBeGreaterThan(1_900);
  });

  it('gets SIGTERM when nothing is under way any more, long before the end of the drain', async () => {
    const plan = await runs(
      server.long(`process.on('SIGTERM', () => { console.log('terminated'); process.exit(0); });`),
      {
        drainSeconds: 60,
      },
    );
    const answer = fixture.visit(plan, '/?1000', { method: 'POST' });
    await underWay(1);
    await replaced(plan, server.long());
    expect((await answer).body).toBe('late');
    expect(await fixture.messages(plan)).toEqual(expect.arrayContaining(['began POST', 'terminated']));
  });

  it('is not started again when it ends by itself during the drain', async () => {
    const plan = await runs(server.long(`setTimeout(() => process.exit(3), 5_000);`), { drainSeconds: 14 });
    const answer = fixture.visit(plan, '/?12000', { method: 'POST' }).then(({ status }) => status);
    await underWay(1);
    await replaced(plan, server.long());
    expect(await answer).toBe(502);
    expect(await fixture.messages(plan)).not.toContainEqual(expect.stringContaining('An instance failed'));
  });
});
