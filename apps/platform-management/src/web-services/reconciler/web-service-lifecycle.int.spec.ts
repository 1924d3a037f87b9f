import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RollFailed } from '@postern/runtime';
import { eventually, waitFor } from '@postern/testing';
import { OPERATOR, OWNER, ofService } from '../../testing/fake-neighbours.js';
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

describe('a release that cannot become healthy', () => {
  it('is ended immediately for a rollback', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    const roll = new Latch();
    fixture.machine.script.roll = roll.wait;
    const broken = await fixture.deploy(replica, id);
    await roll.reached;
    fixture.machine.script.roll = () => {};
    const rollback = await replica.commands.rollBack({ ...ofService(id), deployment_id: deploymentId });
    await fixture.untilDeployment(rollback, 'live');
    expect((await fixture.deployment(broken)).status).toBe('superseded');
  });

  it('is ended for a newer deployment after the preemption time', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({
      deadlines: { queueMs: 60_000, buildMs: 60_000, releaseMs: 60_000, stopMs: 200, preemptMs: 100, graceMs: 50 },
    });
    const { id } = await fixture.runningService(replica);
    const roll = new Latch();
    fixture.machine.script.roll = roll.wait;
    const broken = await fixture.deploy(replica, id);
    await roll.reached;
    fixture.machine.script.roll = () => {};
    const newer = await fixture.deploy(replica, id);
    await fixture.untilDeployment(newer, 'live');
    expect((await fixture.deployment(broken)).status).toBe('superseded');
  });
});

describe('start, restart and stop', () => {
  it('a start releases the live artefact with the current environment, without a build', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    const builds = fixture.machine.orders.length;
    fixture.configurations.today = { environment: { NEW: '1' }, secrets: [], sources: {} };
    expect(await replica.commands.lifecycle.start(ofService(id))).toEqual({ id, status: 'starting' });
    await fixture.untilService(id, 'running');
    expect(fixture.machine.orders).toHaveLength(builds);
    expect(fixture.machine.serving(id)).toMatchObject({
      artefact: { reference: `artefact-${deploymentId}` },
      environment: { NEW: '1' },
    });
  });

  it('a failed restart keeps the previous release and shows the reason', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    fixture.machine.script.roll = () => {
      throw new RollFailed('connection refused');
    };
    expect(await replica.commands.lifecycle.restart(ofService(id))).toEqual({ id, status: 'restarting' });
    expect(await fixture.untilService(id, 'running')).toMatchObject({ status_reason: 'connection refused' });
    expect(fixture.machine.traffic.get(id)).toBe(deploymentId);
  });

  it('a stop ends all instances, and a start starts them again', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    expect(await replica.commands.lifecycle.stop(ofService(id))).toEqual({ id, status: 'stopping' });
    await fixture.untilService(id, 'stopped');
    expect(fixture.machine.rollsOf(id)).toEqual([]);
    expect((await fixture.deployment(deploymentId)).status).toBe('live');
    await replica.commands.lifecycle.start(ofService(id));
    await fixture.untilService(id, 'running');
  });

  it('a stop during a build cancels it and shows the reason', async () => {
    const { id } = await fixture.runningService(replica);
    const build = new Latch();
    fixture.machine.script.build = build.wait;
    const second = await fixture.deploy(replica, id);
    await build.reached;
    await replica.commands.lifecycle.stop(ofService(id));
    expect((await fixture.untilDeployment(second, 'cancelled')).error).toBe(
      'cancelled, because the web service was stopped',
    );
    await fixture.untilService(id, 'stopped');
    expect(fixture.machine.builds.size).toBe(0);
  });

  it('a stop does not wait for a build that ends slowly', async () => {
    const { id } = await fixture.runningService(replica);
    const [build, cleanUp] = [new Latch(), new Latch()];
    fixture.machine.script.build = build.wait;
    fixture.machine.script.cleanUp = cleanUp.wait;
    const second = await fixture.deploy(replica, id);
    await build.reached;
    await replica.commands.lifecycle.stop(ofService(id));
    await fixture.untilService(id, 'stopped');
    expect((await fixture.deployment(second)).status).toBe('building');
    cleanUp.open();
    await fixture.untilDeployment(second, 'cancelled');
  });

  it('a start during a stop takes effect after the stop', async () => {
    const { id } = await fixture.runningService(replica);
    const stop = new Latch();
    fixture.machine.script.stop = stop.wait;
    await replica.commands.lifecycle.stop(ofService(id));
    await stop.reached;
    expect(await replica.commands.lifecycle.start(ofService(id))).toEqual({ id, status: 'starting' });
    stop.open();
    await fixture.untilService(id, 'running');
    expect(fixture.machine.rollsOf(id)).toHaveLength(1);
  });

  it('a hanging stop fails', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({
      deadlines: { queueMs: 60_000, buildMs: 60_000, releaseMs: 60_000, stopMs: 200, preemptMs: 60_000, graceMs: 50 },
    });
    const { id } = await fixture.runningService(replica);
    const stop = new Latch();
    fixture.machine.script.stop = stop.wait;
    await replica.commands.lifecycle.stop(ofService(id));
    expect((await fixture.untilService(id, 'failed')).status_reason).toMatch(/^it could not be stopped within/);
    stop.open();
  });

  it.each([
    ['start', 'nothing_to_start'],
    ['restart', 'never_ran'],
    ['stop', 'never_ran'],
  ] as const)('%s of a service that never ran is refused', async (action, code) => {
    const id = await fixture.createService(replica);
    await expect(replica.commands.lifecycle[action](ofService(id))).rejects.toEqual(refusal(code));
  });
});

describe('moderation', () => {
  const moderate = (id: string, action: 'block' | 'unblock' | 'suspend' | 'resume', actor = OPERATOR) =>
    replica.commands.moderate.execute({ actor_id: actor, web_service_id: id, action, reason: 'phishing' });

  it('blocking during a release ends it and the serving one, and refuses all actions until it is unblocked', async () => {
    const { id } = await fixture.runningService(replica);
    const roll = new Latch();
    fixture.machine.script.roll = roll.wait;
    const second = await fixture.deploy(replica, id);
    await roll.reached;
    await moderate(id, 'block');
    expect((await fixture.untilDeployment(second, 'cancelled')).error).toBe(
      'cancelled, because the web service was blocked',
    );
    await fixture.untilService(id, 'stopped');
    expect(fixture.machine.rollsOf(id)).toEqual([]);
    const blocked = { code: 'service_blocked', message: expect.stringContaining('phishing') };
    for (const action of ['start', 'restart', 'stop'] as const)
      await expect(replica.commands.lifecycle[action](ofService(id))).rejects.toMatchObject(blocked);
    await expect(fixture.deploy(replica, id)).rejects.toMatchObject(blocked);
    await moderate(id, 'unblock');
    fixture.machine.script.roll = () => {};
    await replica.commands.lifecycle.start(ofService(id));
    await fixture.untilService(id, 'running');
  });

  it('suspending refuses actions with its own code', async () => {
    const { id } = await fixture.runningService(replica);
    await moderate(id, 'suspend');
    await fixture.untilService(id, 'stopped');
    await expect(fixture.deploy(replica, id)).rejects.toEqual(refusal('service_suspended'));
    await moderate(id, 'resume');
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
  });

  it('by the platform starts the web services again that it stopped', async () => {
    const [running, stopped] = [await fixture.runningService(replica), await fixture.runningService(replica)];
    await replica.commands.lifecycle.stop(ofService(stopped.id));
    await fixture.untilService(stopped.id, 'stopped');
    for (const { id } of [running, stopped]) await replica.commands.suspensions.suspend(id, 'too much traffic');
    await fixture.untilService(running.id, 'stopped');
    await expect(fixture.deploy(replica, running.id)).rejects.toEqual(refusal('service_suspended'));
    for (const { id } of [running, stopped])
      for (let times = 0; times < 2; times++) await replica.commands.suspensions.end(id, 'a new month has begun');
    await fixture.untilService(running.id, 'running');
    expect(fixture.machine.serving(running.id)).toMatchObject({ artefact: { commit: 'a'.repeat(40) } });
    expect((await fixture.service(stopped.id)).status).toBe('stopped');
    expect((await fixture.eventsOf(running.id)).filter(name => name === 'web-service-start-requested')).toHaveLength(1);
    await fixture.untilDeployment(await fixture.deploy(replica, stopped.id), 'live');
  });

  it('is for operators only', async () => {
    const { id } = await fixture.runningService(replica);
    await expect(moderate(id, 'block', OWNER)).rejects.toEqual(refusal('not_an_operator'));
  });
});

describe('the runtime', () => {
  it('gets missing instances and loses unknown ones', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    const plan = fixture.machine.serving(id)!;
    fixture.machine.remove(id);
    fixture.machine.run({ ...plan, webServiceId: OWNER, rollId: OPERATOR });
    await eventually(() => expect(fixture.machine.rollsOf(id)).toEqual([deploymentId]));
    await eventually(() => expect(fixture.machine.rollsOf(OWNER)).toEqual([]));
  });

  it('is not reconciled for a web service during a release or a stop', async () => {
    const { id, deploymentId: first } = await fixture.runningService(replica);
    const [roll, reconciled] = [new Latch(), new Latch()];
    fixture.machine.script.roll = roll.wait;
    const second = await fixture.deploy(replica, id);
    await roll.reached;
    fixture.machine.script.reconcile = () => reconciled.wait().then(() => {});
    await reconciled.reached;
    reconciled.open();
    await waitFor(() => fixture.machine.rollsOf(id).length === 2);
    roll.open();
    await fixture.untilDeployment(second, 'live');
    expect(fixture.machine.rollsOf(id)).toEqual([second]);
    expect((await fixture.deployment(first)).status).toBe('superseded');
  });

  it('without a response for too long sets the web service to failed, until it responds again', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({ unansweringMs: 200 });
    const { id } = await fixture.runningService(replica);
    fixture.machine.unhealthy.set(id, 'exited with code 1');
    expect((await fixture.untilService(id, 'failed')).status_reason).toBe(
      'no instance has responded for 1 second: exited with code 1',
    );
    fixture.machine.unhealthy.delete(id);
    expect(await fixture.untilService(id, 'running')).toMatchObject({ status_reason: null });
  });

  it('with repeated restarts of instances sets the web service to failed, with the count and the reason', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({ unansweringMs: 60_000 });
    const { id } = await fixture.runningService(replica);
    let scans = 0;
    fixture.machine.script.reconcile = () => {
      scans += 1;
    };
    await waitFor(() => scans >= 2);
    fixture.machine.restarts.set(id, 3);
    const { status_reason } = await fixture.untilService(id, 'failed');
    expect(status_reason).toMatch(/^restarted 3 times in \d+ seconds?$/);
    // An instance that responds between two crashes does not end the failed status.
    const before = scans;
    await waitFor(() => scans >= before + 3);
    expect((await fixture.service(id)).status).toBe('failed');
  });

  it('with a short outage does not fail a deployment', async () => {
    let failures = 2;
    fixture.machine.script.build = () => {
      if (failures-- > 0) throw new Error('ENOSPC');
    };
    const id = await fixture.createService(replica);
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
  }, 15_000);
});
