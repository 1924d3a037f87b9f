import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LoadBalancerClient } from '@postern/load-balancer-client';
import { RollFailed, type ServicePlan } from '@postern/runtime';
import { freePort, waitFor } from '@postern/testing';
import { LocalRuntimeFixture } from '../testing/local-runtime-fixture.js';
import { server } from '../testing/servers.js';

const never = new AbortController().signal;

describe('A roll', () => {
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

  const next = async (before: ServicePlan, code: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> =>
    fixture.plan(code, { webServiceId: before.webServiceId, ...changes });

  const failureOf = async (plan: ServicePlan): Promise<string> => {
    const error = await fixture.runtime.roll(plan, never).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(RollFailed);
    return (error as Error).message;
  };

  it('starts the instances of the plan, and the service answers at its address', async () => {
    const plan = await runs(server.answering('hello'), { minInstances: 2, maxInstances: 2 });
    expect((await fixture.visit(plan)).body).toBe('hello');
    expect(await fixture.runtime.statusOf(plan.webServiceId)).toEqual({
      rollId: plan.rollId,
      healthy: 2,
      instances: 2,
      lastFailure: undefined,
      restarts: 0,
    });
  });

  it('fails with the last stderr lines of an instance that crashes at its start, and removes the instance', async () => {
    const plan = await fixture.plan(`console.error('no database at hand'); process.exit(3);`);
    expect(await failureOf(plan)).toMatch(/^web-[0-9a-f]{4} exited with code 3\nno database at hand$/);
    expect(await fixture.pids()).toEqual([]);
    expect(await fixture.instanceRecords.ids()).toEqual([]);
    expect(await fixture.runtime.statusOf(plan.webServiceId)).toBeUndefined();
  });

  it('masks secrets in the failure message', async () => {
    const code = `console.error('cannot log in with ' + process.env.PASSWORD); process.exit(1);`;
    const plan = await fixture.plan(code, { environment: { PASSWORD: 'open sesame' }, secrets: ['open sesame'] });
    expect(await failureOf(plan)).toMatch(/cannot log in with \*{8}$/);
  });

  it('fails at the deadline if an instance never listens', async () => {
    const plan = await fixture.plan(server.silent, { deadlineMs: 3_000 });
    expect(await failureOf(plan)).toBe('1 of 1 instances did not pass the health check: connection refused');
    expect(await fixture.pids()).toEqual([]);
  });

  it('fails before the deadline if no port on which an instance listens answers, with the number of that port', async () => {
    const port = await freePort();
    const plan = await fixture.plan(server.failingOnPort(port), { deadlineMs: 20_000 });
    const message = `listens on port ${port}, not on PORT \\d+.*\\. Make it listen on the port in the environment variable PORT, or set the port of the web service to ${port}\\.`;
    expect(await failureOf(plan)).toMatch(new RegExp(`^web-[0-9a-f]{4} ${message}$`));
  });

  it('reports no stderr lines that an instance writes after SIGTERM', async () => {
    const port = await freePort();
    const code = `console.error('a hint'); process.on('SIGTERM', () => { console.error('Terminated'); process.exit(1); });`;
    const plan = await fixture.plan(`${code} ${server.failingOnPort(port)}`, { deadlineMs: 20_000 });
    expect(await failureOf(plan)).toMatch(/ listens on port \d+, not on PORT \d+.*\na hint$/);
  });

  it('fails at the deadline with the response to the health check', async () => {
    const code = server.withStatus.replace('let status = 200', 'let status = 500');
    const plan = await fixture.plan(code, { healthCheckPath: '/health', deadlineMs: 3_000 });
    expect(await failureOf(plan)).toMatch(/: GET \/health answered 500 to the Host 127\.0\.0\.1:\d+$/);
  });

  it('fails with the status and the Host that it sent, if an application refuses it', async () => {
    const code = server.withStatus.replace('let status = 200', 'let status = 400');
    const plan = await fixture.plan(code, { healthCheckPath: '/health', deadlineMs: 3_000 });
    expect(await failureOf(plan)).toMatch(/: GET \/health answered 400 to the Host 127\.0\.0\.1:\d+$/);
  });

  it('accepts an application that serves only the host of its URL', async () => {
    const code = `
      import { createServer } from 'node:http';
      createServer(({ headers }, response) => {
        response.statusCode = headers.host === process.env.HOST ? 200 : 400;
        response.end();
      }).listen(process.env.PORT);`;
    const plan = await fixture.plan(code, { healthCheckPath: '/', deadlineMs: 5_000 });
    const url = await fixture.runtime.urlOf(plan.webServiceId, plan.name);
    await fixture.runtime.roll({ ...plan, environment: { HOST: new URL(url).host } }, never);
    expect((await fixture.visit(plan)).status).toBe(200);
  });

  it('sends the Host of the settings, and fails after their grace time', async () => {
    const code = `
      import { createServer } from 'node:http';
      createServer(({ headers }, response) => {
        response.statusCode = headers.host === process.env.HOST ? 200 : 400;
        response.end();
      }).listen(process.env.PORT);`;
    const healthCheck = { host: 'shop.example.com', graceSeconds: 2 };
    const plan = await fixture.plan(code, { healthCheckPath: '/', healthCheck, deadlineMs: 600_000 });
    expect(await failureOf(plan)).toMatch(/: GET \/ answered 400 to the Host shop\.example\.com$/);
    await fixture.runtime.roll({ ...plan, rollId: 'again', environment: { HOST: 'shop.example.com' } }, never);
    expect((await fixture.visit(plan)).status).toBe(400);
  });

  it('needs an answer below 500 to GET / without a health check path', async () => {
    const answering = (status: number) => server.withStatus.replace('let status = 200', `let status = ${status}`);
    const plan = await fixture.plan(answering(500), { deadlineMs: 3_000 });
    expect(await failureOf(plan)).toMatch(/: GET \/ answered 500 to the Host 127\.0\.0\.1:\d+$/);
    await runs(answering(404));
  });

  it('fails if an instance answers and ends soon, and the older one keeps the traffic meanwhile', async () => {
    await fixture.stop();
    fixture = await LocalRuntimeFixture.start({ times: { observationMs: 1_500 } });
    const before = await runs(server.answering('old'));
    const dying = `${server.answering('new')} setTimeout(() => { console.error('no licence'); process.exit(4); }, 800);`;
    const seen = new Set<string>();
    const visits = setInterval(async () => seen.add((await fixture.visit(before)).body), 50);
    const reason = await failureOf(await next(before, dying));
    clearInterval(visits);
    expect(reason).toMatch(/ exited with code 4\nno licence$/);
    expect([...seen, (await fixture.visit(before)).body]).toEqual(['old', 'old']);
  });

  it('does not observe again what has already served', async () => {
    await fixture.stop();
    fixture = await LocalRuntimeFixture.start({ times: { observationMs: 8_000 } });
    const before = await runs(server.answering('old'));
    const began = performance.now();
    await fixture.runtime.roll({ ...before, rollId: randomUUID() }, never);
    expect(performance.now() - began).toBeLessThan(8_000);
  }, 60_000);

  it('keeps the traffic on the older instances when it fails', async () => {
    const before = await runs(server.answering('old'));
    const pids = await fixture.pids();
    await failureOf(await next(before, server.silent, { deadlineMs: 400 }));
    expect((await fixture.visit(before)).body).toBe('old');
    expect(await fixture.pids()).toEqual(pids);
    expect((await fixture.runtime.statusOf(before.webServiceId))?.rollId).toBe(before.rollId);
  });

  it('removes the new instances when it is aborted, and keeps the older ones', async () => {
    const before = await runs(server.answering('old'));
    const pids = await fixture.pids();
    const abort = new AbortController();
    const roll = fixture.runtime.roll(await next(before, server.silent), abort.signal);
    const ended = expect(roll).rejects.toThrow('not any more');
    await waitFor(async () => (await fixture.pids()).length > pids.length, { describe: 'a new instance' });
    abort.abort(new Error('not any more'));
    await ended;
    expect(await fixture.pids()).toEqual(pids);
    expect((await fixture.visit(before)).body).toBe('old');
  });

  it('moves the traffic in one step, and stops the older instances', async () => {
    const before = await runs(server.answering('old'), { minInstances: 2, maxInstances: 2 });
    const old = await fixture.pids();
    const after = await next(before, server.answering('new'), { minInstances: 2, maxInstances: 2 });
    await fixture.runtime.roll(after, never);
    expect((await fixture.visit(after)).body).toBe('new');
    const pids = await fixture.pids();
    expect(old.filter(pid => pids.includes(pid))).toEqual([]);
    expect(await fixture.records(after)).toHaveLength(2);
  });

  it('changes nothing when it is requested again with the same id', async () => {
    const plan = await runs(server.answering('hello'));
    const pids = await fixture.pids();
    await fixture.runtime.roll(plan, never);
    expect(await fixture.pids()).toEqual(pids);
  });

  it('lets a request in progress on an older instance finish', async () => {
    const before = await runs(server.slow);
    const answer = fixture.visit(before, '/?500');
    await waitFor(async () => (await new LoadBalancerClient(fixture.home).routes())[0]?.backends[0]?.underWay === 1, {
      describe: 'the request under way',
    });
    await fixture.runtime.roll(await next(before, server.answering('new')), never);
    expect((await answer).body).toBe('late');
  });

  it('loses no request under load', async () => {
    let plan = await runs(server.answering('0'), { minInstances: 2, maxInstances: 2 });
    const seen: string[] = [];
    let over = false;
    const visitors = Array.from({ length: 4 }, async () => {
      while (!over) {
        const { status, body } = await fixture.visit(plan);
        seen.push(`${status} ${body}`);
      }
    });
    for (const text of ['1', '2', '3']) {
      plan = await next(plan, server.answering(text), { minInstances: 2, maxInstances: 2 });
      await fixture.runtime.roll(plan, never);
    }
    over = true;
    await Promise.all(visitors);
    expect([...new Set(seen)].sort()).toEqual(['200 0', '200 1', '200 2', '200 3']);
    expect(seen.length).toBeGreaterThan(100);
  });

  it('keeps the number of instances, within the bounds of the new plan', async () => {
    const before = await runs(server.answering('old'), { minInstances: 3, maxInstances: 3 });
    const after = await next(before, server.answering('new'), {
      minInstances: 1,
      maxInstances: 2,
      rollId: randomUUID(),
    });
    await fixture.runtime.roll(after, never);
    expect((await fixture.runtime.statusOf(after.webServiceId))?.instances).toBe(2);
  });
});
