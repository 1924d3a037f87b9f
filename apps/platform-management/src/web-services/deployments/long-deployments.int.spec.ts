import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDeployment, getDeployment, listDeployments } from '@postern/contracts';
import { RowsRead } from '@postern/testing';
import pg from 'pg';
import { ServedWebServices } from '../../testing/served-web-services.js';
import { LIST_DEPLOYMENTS } from './deployments.sql.js';

let fixture: ServedWebServices;

beforeAll(async () => {
  fixture = await ServedWebServices.start();
  fixture.machine.script.build = () => {};
}, 120_000);
afterAll(() => fixture?.stop());

const request: ServedWebServices['client']['request'] = (contract, body) => fixture.client.request(contract, body);
const refusal = (code: string, message = '') => ({ code, message: expect.stringContaining(message) });

it('Deployments are read in constant time, however many there are and whichever page is asked for', async () => {
  const of = await fixture.newService();
  const { id: first } = await request(createDeployment, of);
  await fixture.until(() => request(getDeployment, { ...of, deployment_id: first }), 'live');
  await fixture.pool.query(
    `INSERT INTO deployments (id, web_service_id, number, status, created_at, ordinal)
     SELECT ('0190f000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, 100000 + n, 'failed', now(), n
     FROM generate_series(2, 20000) AS n`,
    [of.web_service_id],
  );
  await fixture.pool.query('ANALYZE deployments');
  const idOf = (ordinal: number) => `0190f000-0000-7000-8000-${ordinal.toString(16).padStart(12, '0')}`;
  const list = (position: object) => request(listDeployments, { ...of, limit: 2, ...position });
  const idsOf = async (position: object) => (await list(position)).items.map(({ id }) => id);
  expect(await list({})).toMatchObject({ total: 20_000, items: [{ id: idOf(20_000) }, { id: idOf(19_999) }] });
  expect(await idsOf({ offset: 19_998 })).toEqual([idOf(2), first]);
  expect(await list({ offset: 1_000_000_000 })).toMatchObject({ total: 20_000, items: [], offset: 1_000_000_000 });
  expect(await idsOf({ after: idOf(10_000) })).toEqual([idOf(9_999), idOf(9_998)]);
  expect(await idsOf({ before: idOf(10_000) })).toEqual([idOf(10_002), idOf(10_001)]);
  expect(await idsOf({ after: first })).toEqual([]);
  await expect(list({ after: of.web_service_id })).rejects.toMatchObject(refusal('invalid_input', 'after: '));
  await expect(list({ after: first, before: first })).rejects.toMatchObject(refusal('invalid_input', 'before: '));

  const explained = new pg.Pool({ connectionString: String(fixture.pool.options.connectionString) });
  const read = new RowsRead(explained);
  for (const [below, above, offset] of [
    [null, null, 0],
    [null, null, 19_990],
    [10_000, null, 0],
    [null, 10_000, 0],
  ]) {
    const values = [of.workspace_id, null, of.web_service_id, 20, below, above, offset];
    expect(await read.by(() => explained.query(LIST_DEPLOYMENTS, values))).toBeLessThan(100);
  }
  await explained.end();
});
