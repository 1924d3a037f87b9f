import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addCustomDomain, changeWebService, type QuotaOverrides, type RequestInput } from '@postern/contracts';
import fc from 'fast-check';
import { codeOf } from '../../testing/accounts-fixture.js';
import { callerOf, type WebServiceOf } from '../../testing/caller.js';
import { type Owner, ServedWebServices } from '../../testing/served-web-services.js';
import { COUNT_USAGE } from './quotas.sql.js';

let fixture: ServedWebServices;
beforeAll(async () => {
  fixture = await ServedWebServices.start();
  for (const feature of ['instance', 'disk', 'processes', 'customDomains'] as const)
    fixture.machine.features.add(feature);
}, 120_000);
afterAll(() => fixture?.stop());

type Changes = Omit<RequestInput<typeof changeWebService>, keyof WebServiceOf>;

const instance = (memory_mib: number) => ({ instance: { memory_mib, cpu_millicores: 500 } });
const ownerWith = async (limits: QuotaOverrides): Promise<Owner> => {
  const owner = await fixture.owner();
  await fixture.pool.query('INSERT INTO workspace_quotas (workspace_id, limits) VALUES ($1, $2)', [
    owner.workspace_id,
    JSON.stringify(limits),
  ]);
  return owner;
};
const change = (owner: Owner, web_service_id: string, changes: Changes) =>
  fixture.client.request(changeWebService, { ...callerOf(owner), web_service_id, ...changes });
const used = async (owner: Owner) =>
  (await fixture.pool.query<Record<string, number>>(COUNT_USAGE, [owner.workspace_id])).rows[0]!;
const addDomain = (owner: Owner, web_service_id: string, domain: string) =>
  fixture.client.request(addCustomDomain, { ...callerOf(owner), web_service_id, domain });

describe('the memory of a workspace', () => {
  it('is the sum over all instances, and larger or more instances need quota', async () => {
    const owner = await ownerWith({ memory_mib: 4_096 });
    const { id } = await fixture.create(owner);
    expect(await used(owner)).toMatchObject({ memory_mib: 512, disk_mib: 0 });
    await expect(change(owner, id, { max_instances: 9 })).rejects.toMatchObject({
      code: 'quota_reached',
      message: expect.stringContaining('at most 4096 MiB of memory'),
    });
    await change(owner, id, { max_instances: 4, ...instance(1_024) });
    expect(await used(owner)).toMatchObject({ memory_mib: 4_096 });
    expect(await codeOf(change(owner, id, instance(1_025)))).toBe('quota_reached');
    expect(await codeOf(change(owner, id, { processes: { worker: 1 } }))).toBe('quota_reached');
    await change(owner, id, instance(64));
    await change(owner, id, { processes: { worker: 1 } });
    expect(await used(owner)).toMatchObject({ memory_mib: 320 });
  });

  it('refuses a web service that exceeds the quota', async () => {
    const owner = await ownerWith({ memory_mib: 511 });
    expect(await codeOf(fixture.create(owner))).toBe('quota_reached');
  });

  it(
    'is not exceeded by any combination of concurrent changes over two replicas',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.oneof(
              fc.integer({ min: 1, max: 8 }).map(max_instances => ({ max_instances })),
              fc.constantFrom(64, 512, 2_048).map(instance),
            ),
            { minLength: 2, maxLength: 8 },
          ),
          async steps => {
            const owner = await ownerWith({ memory_mib: 2_048 });
            const services = [await fixture.create(owner), await fixture.create(owner)];
            const codes = await Promise.all(steps.map((step, n) => codeOf(change(owner, services[n % 2]!.id, step))));
            expect(new Set([undefined, 'quota_reached', ...codes])).toEqual(new Set([undefined, 'quota_reached']));
            expect((await used(owner))['memory_mib']).toBeLessThanOrEqual(2_048);
          },
        ),
        { numRuns: 8 },
      ),
    120_000,
  );
});

describe('the disks of a workspace', () => {
  it('share one quota', async () => {
    const owner = await ownerWith({ disk_mib: 1_000 });
    const [one, other] = [await fixture.create(owner), await fixture.create(owner)];
    await change(owner, one.id, { disk: { size_mib: 800 } });
    expect(await codeOf(change(owner, other.id, { disk: { size_mib: 201 } }))).toBe('quota_reached');
    await change(owner, other.id, { disk: { size_mib: 200 } });
    expect(await codeOf(change(owner, one.id, { disk: { size_mib: 801 } }))).toBe('quota_reached');
    expect(await used(owner)).toMatchObject({ disk_mib: 1_000 });
  });
});

describe('the custom domains of a workspace', () => {
  it('share one quota over all web services, even with concurrent additions', async () => {
    const owner = await ownerWith({ custom_domains: 10 });
    const services = [await fixture.create(owner), await fixture.create(owner), await fixture.create(owner)];
    const names = Array.from({ length: 24 }, (_, n) => `shop-${n}.example.com`);
    const codes = await Promise.all(names.map((name, n) => codeOf(addDomain(owner, services[n % 3]!.id, name))));
    expect(codes.filter(code => code === undefined)).toHaveLength(10);
    expect(codes.filter(code => code === 'quota_reached')).toHaveLength(14);
    expect(await used(owner)).toMatchObject({ custom_domains: 10 });
  }, 60_000);
});
