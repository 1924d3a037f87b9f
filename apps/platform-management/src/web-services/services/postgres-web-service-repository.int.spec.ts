import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fold } from '@postern/event-sourcing';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { ofService } from '../../testing/fake-neighbours.js';
import { type Replica, WebServicesFixture } from '../../testing/web-services-fixture.js';
import { webService, webServiceStream } from './aggregate/web-service.js';

let fixture: WebServicesFixture;
let replicas: [Replica, Replica];

beforeAll(async () => {
  fixture = await WebServicesFixture.start();
  replicas = [await fixture.replica({}, false), await fixture.replica({}, false)];
}, 60_000);
afterAll(() => fixture.stop());

const cancel = (replica: Replica, id: string, deployment_id: string) =>
  replica.commands.cancel.execute({ ...ofService(id), deployment_id });

/** Truncates a stream, like the restore of an older backup under a running service. */
const cutOff = async (id: string, version: number) => {
  const client = await fixture.pool.connect();
  await client.query('SET session_replication_role = replica');
  await client.query('DELETE FROM event_store.events WHERE stream_id = $1 AND version > $2', [
    webServiceStream(id),
    version,
  ]);
  await client.query('RESET session_replication_role');
  client.release();
};

describe('the repository of a replica', () => {
  it('uses the events of other replicas, whatever its cache contains', async () => {
    const [one, other] = replicas;
    const id = await fixture.createService(one);
    const first = await fixture.deploy(other, id);
    const second = await fixture.deploy(one, id);
    await cancel(other, id, second);
    const over = { code: 'deployment_over' };
    await expect(cancel(one, id, second)).rejects.toMatchObject(over);
    await expect(cancel(other, id, first)).rejects.toMatchObject(over);

    const events = await new PostgresEventStore(fixture.pool).readStream(webServiceStream(id));
    const whole = fold(webService, events);
    expect(whole.deployments.map(({ status }) => status)).toEqual(['superseded', 'cancelled']);
    for (const { repository } of replicas) expect(await repository.stateOf(id)).toEqual(whole);
  });

  it('reads from the start again if the stream ends before the cached version', async () => {
    const [one] = replicas;
    const id = await fixture.createService(one);
    const lost = await fixture.deploy(one, id);
    await cutOff(id, 1);
    await expect(cancel(one, id, lost)).rejects.toThrow(/at version 1, expected 2/);
    expect((await one.repository.stateOf(id)).deployments).toEqual([]);
  });
});
