import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BuildFailed, RollFailed } from '@postern/runtime';
import { eventually, waitFor } from '@postern/testing';
import { ofService } from '../../testing/fake-neighbours.js';
import { Latch } from '../../testing/latch.js';
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

describe('a deployment', () => {
  it('is built at the commit of its branch, released, and then live', async () => {
    const id = await fixture.createService(replica);
    const deploymentId = await fixture.deploy(replica, id);
    const live = await fixture.untilDeployment(deploymentId, 'live');
    expect(live).toMatchObject({ branch: 'main', commit: 'a'.repeat(40), error: null });
    expect(live.started_at! <= live.finished_at!).toBe(true);
    await fixture.untilService(id, 'running');
    expect(fixture.machine.serving(id)).toMatchObject({ port: 3000, artefact: { commit: 'a'.repeat(40) } });
    expect(await fixture.eventsOf(id)).toEqual([
      'web-service-created',
      'deployment-requested',
      'deployment-begun',
      'deployment-source-resolved',
      'deployment-built',
      'release-begun',
      'release-served',
      'deployment-live',
    ]);
    await eventually(() =>
      expect(fixture.machine.messages(id, 'platform')).toContainEqual(expect.stringMatching(/is live$/)),
    );
  });

  it('that replaces another sets it to superseded only once it is live', async () => {
    const { id, deploymentId: first } = await fixture.runningService(replica);
    const roll = new Latch();
    fixture.machine.script.roll = roll.wait;
    const second = await fixture.deploy(replica, id);
    await roll.reached;
    expect((await fixture.deployment(first)).status).toBe('live');
    expect((await fixture.service(id)).status).toBe('running');
    roll.open();
    await fixture.untilDeployment(second, 'live');
    await fixture.untilDeployment(first, 'superseded');
  });

  it('of a missing branch fails with a reason, and the status of the web service does not change', async () => {
    const id = await fixture.createService(replica);
    const failed = await fixture.untilDeployment(await fixture.deploy(replica, id, 'nowhere'), 'failed');
    expect(failed.error).toBe('the repository has no branch nowhere');
    expect((await fixture.service(id)).status).toBe('created');
  });

  it('with a failed build shows the reason without secrets', async () => {
    fixture.configurations.today = { environment: { TOKEN: 'hush-hush' }, secrets: ['hush-hush'], sources: {} };
    fixture.machine.script.build = () => {
      throw new BuildFailed('npm could not log in with hush-hush');
    };
    const id = await fixture.createService(replica);
    const failed = await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(failed.error).toBe('npm could not log in with ********');
    const written = JSON.stringify([fixture.machine.lines, await replica.repository.stateOf(id)]);
    expect(written).not.toContain('hush-hush');
  });

  it('whose first release never responds fails, like its web service', async () => {
    fixture.machine.script.roll = () => {
      throw new RollFailed('GET / answered 500');
    };
    const id = await fixture.createService(replica);
    const failed = await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(failed.error).toBe('GET / answered 500');
    expect(await fixture.untilService(id, 'failed')).toMatchObject({ status_reason: 'GET / answered 500' });
    expect(fixture.machine.rollsOf(id)).toEqual([]);
  });

  it('with a failed release leaves the previous one serving', async () => {
    const { id, deploymentId: first } = await fixture.runningService(replica);
    fixture.machine.script.roll = () => {
      throw new RollFailed('GET / answered 500');
    };
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(await fixture.service(id)).toMatchObject({ status: 'running', status_reason: null });
    expect((await fixture.deployment(first)).status).toBe('live');
    expect(fixture.machine.traffic.get(id)).toBe(first);
  });

  it('with a build past its deadline is ended and fails', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({
      deadlines: { queueMs: 60_000, buildMs: 300, releaseMs: 60_000, stopMs: 60_000, preemptMs: 60_000, graceMs: 50 },
    });
    fixture.machine.script.build = () => new Promise(() => {});
    const id = await fixture.createService(replica);
    const failed = await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(failed.error).toBe('the build did not finish within 1 second');
    expect(fixture.machine.builds.size).toBe(0);
  });

  it('fails even if the runtime never ends its build', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({
      deadlines: { queueMs: 60_000, buildMs: 100, releaseMs: 60_000, stopMs: 200, preemptMs: 60_000, graceMs: 50 },
    });
    fixture.machine.script.build = () => new Promise(() => {});
    const hung = new Latch();
    fixture.machine.script.cleanUp = hung.wait;
    const id = await fixture.createService(replica);
    const failed = await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(failed.error).toBe('the platform could not end the build in time');
    hung.open();
  });
});

describe('a running web service', () => {
  it('keeps its instances while its configuration cannot be read', async () => {
    const { id } = await fixture.runningService(replica);
    const before = fixture.machine.serving(id);
    let scans = 0;
    fixture.machine.script.reconcile = () => {
      scans += 1;
    };
    fixture.configurations.failure = new Error('Connection terminated unexpectedly');
    await waitFor(() => scans >= 3);
    fixture.configurations.failure = undefined;
    expect(before).toBeDefined();
    expect(fixture.machine.serving(id)).toEqual(before);
  });
});

describe('fifty concurrent requests for deployments', () => {
  it('leave at most one active and one queued deployment; newer ones supersede all others', async () => {
    const id = await fixture.createService(replica);
    const build = new Latch();
    fixture.machine.script.build = build.wait;
    const other = await fixture.replica();
    const first = await fixture.deploy(replica, id);
    await build.reached;
    const ids = await Promise.all(
      Array.from({ length: 50 }, (_, number) => fixture.deploy(number % 2 ? replica : other, id)),
    );
    const statuses = async () => Map.groupBy(await fixture.deploymentsOf(id), ({ status }) => status);
    const meanwhile = await statuses();
    expect(meanwhile.get('building')?.map(each => each.id)).toEqual([first]);
    expect(meanwhile.get('queued')).toHaveLength(1);
    expect(meanwhile.get('superseded')).toHaveLength(49);
    expect([...fixture.machine.builds.keys()]).toEqual([first]);
    build.open();
    const newest = meanwhile.get('queued')![0]!;
    expect(ids).toContain(newest.id);
    await fixture.untilDeployment(newest.id, 'live');
    await eventually(async () => expect((await statuses()).get('superseded')).toHaveLength(50));
  });

  it('start only one deployment if none is active', async () => {
    const id = await fixture.createService(replica);
    const build = new Latch();
    fixture.machine.script.build = build.wait;
    await Promise.all(Array.from({ length: 50 }, () => fixture.deploy(replica, id)));
    await build.reached;
    const active = await waitFor(async () => {
      const building = (await fixture.deploymentsOf(id)).filter(({ status }) => status === 'building');
      return building.length > 0 ? building : undefined;
    });
    expect(active).toHaveLength(1);
    expect([...fixture.machine.builds.keys()]).toEqual(active.map(each => each.id));
    build.open();
    await fixture.untilDeployment((await fixture.deploymentsOf(id)).at(-1)!.id, 'live');
  });
});

describe('cancelling', () => {
  const cancel = (id: string, deploymentId: string) =>
    replica.commands.cancel.execute({ ...ofService(id), deployment_id: deploymentId });

  it('ends a build, and reports the end only once none of its processes run', async () => {
    const [build, cleanUp] = [new Latch(), new Latch()];
    fixture.machine.script.build = build.wait;
    fixture.machine.script.cleanUp = cleanUp.wait;
    const id = await fixture.createService(replica);
    const deploymentId = await fixture.deploy(replica, id);
    await build.reached;
    await cancel(id, deploymentId);
    await cleanUp.reached;
    expect((await fixture.deployment(deploymentId)).status).toBe('building');
    cleanUp.open();
    expect(await fixture.untilDeployment(deploymentId, 'cancelled')).toMatchObject({ error: null });
    expect(fixture.machine.builds.size).toBe(0);
    expect((await fixture.service(id)).status).toBe('created');
    await expect(cancel(id, deploymentId)).rejects.toEqual(refusal('deployment_over'));
  });

  it('ends a release; the previous one keeps serving', async () => {
    const { id, deploymentId: first } = await fixture.runningService(replica);
    const roll = new Latch();
    fixture.machine.script.roll = roll.wait;
    const second = await fixture.deploy(replica, id);
    await roll.reached;
    await cancel(id, second);
    await fixture.untilDeployment(second, 'cancelled');
    expect(fixture.machine.rollsOf(id)).toEqual([first]);
    expect((await fixture.service(id)).status).toBe('running');
  });

  it('a queued deployment ends it immediately, and does not affect the active one', async () => {
    const build = new Latch();
    fixture.machine.script.build = build.wait;
    const id = await fixture.createService(replica);
    const first = await fixture.deploy(replica, id);
    await build.reached;
    const second = await fixture.deploy(replica, id);
    await cancel(id, second);
    expect((await fixture.deployment(second)).status).toBe('cancelled');
    build.open();
    await fixture.untilDeployment(first, 'live');
  });
});
