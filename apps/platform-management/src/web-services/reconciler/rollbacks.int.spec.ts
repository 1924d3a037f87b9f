import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { OWNER, ofService } from '../../testing/fake-neighbours.js';
import { type Replica, WebServicesFixture } from '../../testing/web-services-fixture.js';

let fixture: WebServicesFixture;
let replica: Replica;

beforeAll(async () => {
  fixture = await WebServicesFixture.start();
}, 60_000);
afterAll(() => fixture.stop());

beforeEach(async () => {
  replica = await fixture.replica();
});
afterEach(() => fixture.reset());

const refusal = (code: string) => expect.objectContaining({ code });

describe('a rollback', () => {
  const rollBack = (id: string, deploymentId: string, by = replica) =>
    by.commands.rollBack({ ...ofService(id), deployment_id: deploymentId });

  it('releases the earlier artefact with its configuration, without a build', async () => {
    fixture.configurations.today = { environment: { COLOUR: 'red' }, secrets: [], sources: {} };
    const { id, deploymentId: first } = await fixture.runningService(replica);
    fixture.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [], sources: {} };
    const second = await fixture.deploy(replica, id);
    await fixture.untilDeployment(second, 'live');
    expect(fixture.machine.serving(id)?.environment).toMatchObject({ COLOUR: 'blue' });
    const builds = fixture.machine.orders.length;

    const third = await rollBack(id, first);
    await fixture.untilDeployment(third, 'live');
    expect(await fixture.deployment(third)).toMatchObject({
      rollback_of: first,
      commit: 'a'.repeat(40),
      branch: 'main',
    });
    await fixture.untilDeployment(second, 'rolled_back');
    expect(fixture.machine.orders).toHaveLength(builds);
    expect(fixture.machine.serving(id)).toMatchObject({
      artefact: { reference: `artefact-${first}` },
      environment: { COLOUR: 'red' },
    });
  });

  it('has the current credentials of attached databases', async () => {
    fixture.configurations.today = {
      environment: { COLOUR: 'red', DATABASE_URL: 'old' },
      secrets: [],
      sources: { DATABASE_URL: 'attachment' },
    };
    const { id, deploymentId: first } = await fixture.runningService(replica);
    fixture.configurations.today = { environment: { COLOUR: 'blue', DATABASE_URL: 'new' }, secrets: [], sources: {} };
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
    fixture.configurations.attached = { DATABASE_URL: 'new' };
    await fixture.untilDeployment(await rollBack(id, first), 'live');
    expect(fixture.machine.serving(id)?.environment).toMatchObject({ COLOUR: 'red', DATABASE_URL: 'new' });
  });

  it('to a rollback uses the configuration of the original deployment', async () => {
    fixture.configurations.today = { environment: { COLOUR: 'red' }, secrets: [], sources: {} };
    const { id, deploymentId: first } = await fixture.runningService(replica);
    fixture.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [], sources: {} };
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
    const back = await rollBack(id, first);
    await fixture.untilDeployment(back, 'live');
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
    await fixture.untilDeployment(await rollBack(id, back), 'live');
    expect(fixture.machine.serving(id)?.environment).toMatchObject({ COLOUR: 'red' });
  });

  it('is refused for a deployment that was never live, and for an unknown one', async () => {
    const { id } = await fixture.runningService(replica);
    const failed = await fixture.deploy(replica, id, 'nowhere');
    await fixture.untilDeployment(failed, 'failed');
    await expect(rollBack(id, failed)).rejects.toEqual(refusal('deployment_never_live'));
    await expect(rollBack(id, OWNER)).rejects.toEqual(refusal('deployment_not_found'));
  });

  it('is possible while the artefact is retained, and refused afterwards', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({ retainedReleases: 2 });
    const { id, deploymentId: first } = await fixture.runningService(replica);
    const second = await fixture.deploy(replica, id);
    await fixture.untilDeployment(second, 'live');
    const third = await fixture.deploy(replica, id);
    await fixture.untilDeployment(third, 'live');
    await waitFor(() => !fixture.machine.artefacts.has(first), { describe: 'the oldest artefact to be deleted' });
    expect(fixture.machine.artefacts.has(second)).toBe(true);
    await expect(rollBack(id, first)).rejects.toMatchObject({
      code: 'deployment_too_old',
      message: expect.stringContaining('kept for the last 2'),
    });
    await fixture.untilDeployment(await rollBack(id, second), 'live');
  });
});
