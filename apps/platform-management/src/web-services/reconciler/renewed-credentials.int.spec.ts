import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RollFailed } from '@postern/runtime';
import { eventually, waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { ofService } from '../../testing/fake-neighbours.js';
import { Latch } from '../../testing/latch.js';
import { type Replica, WebServicesFixture } from '../../testing/web-services-fixture.js';

let fixture: WebServicesFixture;
let first: Replica;

beforeAll(async () => {
  fixture = await WebServicesFixture.start();
}, 60_000);
afterAll(() => fixture.stop());

beforeEach(async () => {
  first = await fixture.replica();
  fixture.configurations.today = { environment: { PASSWORD: 'old' }, secrets: [], sources: {} };
});
afterEach(() => fixture.reset());

const stoppedService = async (): Promise<string> => {
  const { id } = await fixture.runningService(first);
  await first.commands.lifecycle.stop(ofService(id));
  await fixture.untilService(id, 'stopped');
  return id;
};

/** Begins a roll, replaces the credentials during it, and kills the leader. @returns the id of the restart. */
const renewDuring = async (id: string, begin: () => Promise<unknown>): Promise<string> => {
  const latch = new Latch();
  fixture.machine.script.roll = latch.wait;
  await begin();
  await latch.reached;
  fixture.configurations.today = { environment: { PASSWORD: 'new' }, secrets: [], sources: {} };
  const releaseId = uuidv7();
  await first.repository.execute(id, at => ({ kind: 'renew-credentials', releaseId, at }));
  await first.kill();
  fixture.machine.script.roll = () => {};
  return releaseId;
};

const failOnce = () => {
  fixture.machine.script.roll = () => {
    fixture.machine.script.roll = () => {};
    throw new RollFailed('connection refused');
  };
};

const serves = (id: string, rollId: string) =>
  eventually(() => expect(fixture.machine.serving(id)).toMatchObject({ rollId, environment: { PASSWORD: 'new' } }));

describe('credentials that are renewed before a leader is killed', () => {
  it('during the first release are in the environment after it', async () => {
    const id = await fixture.createService(first);
    const restart = await renewDuring(id, () => fixture.deploy(first, id));
    await fixture.replica();
    await serves(id, restart);
    await fixture.untilService(id, 'running');
  });

  it('during a start are in the environment after it, also if it fails', async () => {
    const id = await stoppedService();
    const restart = await renewDuring(id, () => first.commands.lifecycle.start(ofService(id)));
    failOnce();
    await fixture.replica();
    await serves(id, restart);
    await fixture.untilService(id, 'running');
  });

  it('during a first release that fails leave nothing waiting', async () => {
    const id = await fixture.createService(first);
    await renewDuring(id, () => fixture.deploy(first, id));
    failOnce();
    const next = await fixture.replica();
    await waitFor(async () => (await next.repository.stateOf(id)).requested === undefined);
    await eventually(async () =>
      expect(await fixture.service(id)).toMatchObject({ status: 'failed', status_reason: 'connection refused' }),
    );
    expect(fixture.machine.rollsOf(id)).toEqual([]);
  });

  it('do not start a stopped web service whose deployment fails', async () => {
    const id = await stoppedService();
    await renewDuring(id, () => fixture.deploy(first, id));
    failOnce();
    const next = await fixture.replica();
    await waitFor(async () => (await next.repository.stateOf(id)).requested === undefined);
    expect(fixture.machine.rollsOf(id)).toEqual([]);
  });
});
