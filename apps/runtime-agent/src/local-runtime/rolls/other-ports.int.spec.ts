import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServicePlan } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { canCreateNetworks } from '../sandbox/network/testing/network-fixture.js';
import { LocalRuntimeFixture } from '../testing/local-runtime-fixture.js';

const never = new AbortController().signal;
const SAYS =
  'Listens on port 4000, not on PORT 3000: requests go to 4000. Set the port of the web service to 4000 to make this permanent';

/** Answers with the port and its instance; /both also listens on PORT, /crash exits. */
const onPort4000 = (host = '0.0.0.0') => `
  import { createServer } from 'node:http';
  const listen = (port, host) => createServer(({ url }, response) => {
    if (url === '/crash') process.exit(7);
    if (url === '/both') listen(Number(process.env.PORT), '0.0.0.0');
    response.end(port + ' ' + process.env.POSTERN_INSTANCE);
  }).listen(port, host);
  listen(4000, '${host}');
  process.on('SIGTERM', () => process.exit(0));`;

(canCreateNetworks ? describe : describe.skip)('An instance that listens on another port than PORT', () => {
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

  const answer = async (plan: ServicePlan) => (await fixture.visit(plan)).body;

  it.each(['0.0.0.0', '127.0.0.1', '::'])(
    'gets the requests there if it listens at %s, and the log says so',
    async host => {
      const plan = await runs(onPort4000(host), { minInstances: 2, maxInstances: 2 });
      expect(await answer(plan)).toMatch(/^4000 /);
      expect((await fixture.messages(plan)).filter(line => line === SAYS)).toHaveLength(1);
      expect(await fixture.runtime.statusOf(plan.webServiceId)).toMatchObject({ healthy: 2 });
    },
  );

  it('is replaced after a crash by one that gets the requests at the same port', async () => {
    const plan = await runs(onPort4000());
    const before = await answer(plan);
    await fixture.visit(plan, '/crash', { method: 'POST' });
    await waitFor(async () => {
      const { status, body } = await fixture.visit(plan);
      return status === 200 && body !== before;
    });
    expect(await answer(plan)).toMatch(/^4000 /);
  });

  it('gets the requests at PORT as soon as it listens there', async () => {
    const plan = await runs(onPort4000());
    await fixture.visit(plan, '/both');
    await waitFor(async () => (await answer(plan)).startsWith('3000 '), { describe: 'an answer of PORT' });
    expect(await fixture.messages(plan)).toContain('Listens on PORT 3000 now: requests go to 3000');
  });

  it('keeps its requests while another agent adopts it', async () => {
    const plan = await runs(onPort4000());
    const before = await answer(plan);
    await fixture.runtime.detach();
    expect(await answer(plan)).toBe(before);
    fixture.runtime = fixture.anotherRuntime();
    await fixture.runtime.reconcile([plan], new Set());
    expect(await answer(plan)).toBe(before);
    await fixture.runtime.roll({ ...plan, rollId: randomUUID(), minInstances: 2, maxInstances: 2 }, never);
    expect(await answer(plan)).toMatch(/^4000 /);
  });

  it('gives way to a release that listens on PORT, and serves again after a rollback', async () => {
    const other = await runs(onPort4000());
    const { webServiceId } = other;
    const usual = await runs(onPort4000().replace('listen(4000', 'listen(Number(process.env.PORT)'), { webServiceId });
    expect(await answer(usual)).toMatch(/^3000 /);
    await fixture.runtime.roll({ ...other, rollId: randomUUID() }, never);
    expect(await answer(other)).toMatch(/^4000 /);
  });
});
