import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { type Replica, WebServicesFixture } from '../testing/web-services-fixture.js';

let fixture: WebServicesFixture;
let replica: Replica;

beforeAll(async () => {
  fixture = await WebServicesFixture.start();
}, 60_000);
afterAll(() => fixture.stop());
beforeEach(async () => {
  replica = await fixture.replica();
});
afterEach(async () => {
  fixture.machine.features.delete('sharedNetwork');
  await fixture.pool.query('DELETE FROM databases');
  await fixture.reset();
});

/** A database of another workspace, older than everything else. */
const addForeignDatabase = () =>
  fixture.pool.query(
    `INSERT INTO databases (id, workspace_id, name, kind, plan, cpu_millicores, memory_bytes, storage_bytes, connections,
       host, port, status, created_at)
     VALUES ($1, $2, 'theirs', 'relational', 'starter', 1, 1, 1, 1, '127.0.0.1', 1, 'running', '2020-01-01')`,
    [uuidv7(), uuidv7()],
  );

describe('a deployment on a machine whose web services share a network', () => {
  it('fails if another workspace was there first, and says what the operator can do', async () => {
    fixture.machine.features.add('sharedNetwork');
    await addForeignDatabase();
    const id = await fixture.createService(replica);
    const { error } = await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(error).toMatch(/second workspace.*install nftables and iproute2.*POSTERN_SHARED_NETWORK=true/);
    expect(fixture.machine.orders).toEqual([]);
  });

  it('is live if nobody else runs code there', async () => {
    fixture.machine.features.add('sharedNetwork');
    const id = await fixture.createService(replica);
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
  });
});

it('a deployment on a machine that separates networks is live beside other workspaces', async () => {
  await addForeignDatabase();
  const id = await fixture.createService(replica);
  await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
});
