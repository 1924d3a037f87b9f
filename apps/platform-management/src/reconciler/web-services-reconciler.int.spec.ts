import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BuildFailed, RollFailed } from '@postern/runtime';
import { eventually, waitFor } from '@postern/testing';
import { Latch, OPERATOR, OWNER, type Replica, WebServicesFixture } from '../testing/web-services-fixture.js';

let house: WebServicesFixture;
let replica: Replica;

beforeAll(async () => {
  house = await WebServicesFixture.start();
}, 60_000);
afterAll(() => house.stop());

beforeEach(async () => {
  replica = await house.replica();
});
afterEach(async () => {
  await house.stopReplicas();
  Object.assign(house.machine.script, {
    resolve: () => {},
    build: () => {},
    roll: () => {},
    stop: () => {},
    reconcile: () => {},
    cleanUp: () => {},
  });
  house.configurations.today = { environment: {}, secrets: [] };
  expect(house.machine.overlaps).toBe(0);
});

const of = (id: string) => ({ user_id: OWNER, web_service_id: id });
const refusal = (code: string) => expect.objectContaining({ code });

describe('a deployment', () => {
  it('is built at the commit of its branch, released, and then live', async () => {
    const id = await house.createService(replica);
    const deploymentId = await house.deploy(replica, id);
    const live = await house.untilDeployment(deploymentId, 'live');
    expect(live).toMatchObject({ branch: 'main', commit: 'a'.repeat(40), error: null });
    expect(live.started_at! <= live.finished_at!).toBe(true);
    await house.untilService(id, 'running');
    expect(house.machine.serving(id)).toMatchObject({ port: 3000, artefact: { commit: 'a'.repeat(40) } });
    expect(await house.eventsOf(id)).toEqual([
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
      expect(house.machine.messages(id, 'platform')).toContainEqual(expect.stringMatching(/is live$/)),
    );
  });

  it('that supersedes one makes the earlier one superseded once it is live, not before', async () => {
    const { id, deploymentId: first } = await house.runningService(replica);
    const roll = new Latch();
    house.machine.script.roll = roll.wait;
    const second = await house.deploy(replica, id);
    await roll.reached;
    expect((await house.deployment(first)).status).toBe('live');
    expect((await house.service(id)).status).toBe('running');
    roll.open();
    await house.untilDeployment(second, 'live');
    await house.untilDeployment(first, 'superseded');
  });

  it('of a branch that is not there fails with words for it, and the service stays as it was', async () => {
    const id = await house.createService(replica);
    const failed = await house.untilDeployment(await house.deploy(replica, id, 'nowhere'), 'failed');
    expect(failed.error).toBe('the repository has no branch nowhere');
    expect((await house.service(id)).status).toBe('created');
  });

  it('whose build fails says why, without any secret', async () => {
    house.configurations.today = { environment: { TOKEN: 'hush-hush' }, secrets: ['hush-hush'] };
    house.machine.script.build = () => {
      throw new BuildFailed('npm could not log in with hush-hush');
    };
    const id = await house.createService(replica);
    const failed = await house.untilDeployment(await house.deploy(replica, id), 'failed');
    expect(failed.error).toBe('npm could not log in with ********');
    const written = JSON.stringify([house.machine.lines, await replica.repository.stateOf(id)]);
    expect(written).not.toContain('hush-hush');
  });

  it('whose first release never answers fails, and the service with it', async () => {
    house.machine.script.roll = () => {
      throw new RollFailed('GET / answered 500');
    };
    const id = await house.createService(replica);
    const failed = await house.untilDeployment(await house.deploy(replica, id), 'failed');
    expect(failed.error).toBe('GET / answered 500');
    expect(await house.untilService(id, 'failed')).toMatchObject({ status_reason: 'GET / answered 500' });
    expect(house.machine.rollsOf(id)).toEqual([]);
  });

  it('whose release fails leaves the earlier one serving', async () => {
    const { id, deploymentId: first } = await house.runningService(replica);
    house.machine.script.roll = () => {
      throw new RollFailed('GET / answered 500');
    };
    await house.untilDeployment(await house.deploy(replica, id), 'failed');
    expect(await house.service(id)).toMatchObject({ status: 'running', status_reason: null });
    expect((await house.deployment(first)).status).toBe('live');
    expect(house.machine.traffic.get(id)).toBe(first);
  });

  it('whose build takes longer than its deadline is ended and fails', async () => {
    await house.stopReplicas();
    replica = await house.replica({
      deadlines: { queueMs: 60_000, buildMs: 300, releaseMs: 60_000, stopMs: 60_000, graceMs: 50 },
    });
    house.machine.script.build = () => new Promise(() => {});
    const id = await house.createService(replica);
    const failed = await house.untilDeployment(await house.deploy(replica, id), 'failed');
    expect(failed.error).toBe('the build was not done within 1 second');
    expect(house.machine.builds.size).toBe(0);
  });

  it('fails in the end even if the runtime never comes back from ending it', async () => {
    await house.stopReplicas();
    replica = await house.replica({
      deadlines: { queueMs: 60_000, buildMs: 100, releaseMs: 60_000, stopMs: 200, graceMs: 50 },
    });
    house.machine.script.build = () => new Promise(() => {});
    const hung = new Latch();
    house.machine.script.cleanUp = hung.wait;
    const id = await house.createService(replica);
    const failed = await house.untilDeployment(await house.deploy(replica, id), 'failed');
    expect(failed.error).toBe('the platform could not end the build in time');
    hung.open();
  });
});

describe('fifty deployments asked for at once', () => {
  it('are never more than one active and one queued; all others are superseded by newer ones', async () => {
    const id = await house.createService(replica);
    const build = new Latch();
    house.machine.script.build = build.wait;
    const other = await house.replica();
    const first = await house.deploy(replica, id);
    await build.reached;
    const ids = await Promise.all(
      Array.from({ length: 50 }, (_, number) => house.deploy(number % 2 ? replica : other, id)),
    );
    const statuses = async () => Map.groupBy(await house.deploymentsOf(id), ({ status }) => status);
    const meanwhile = await statuses();
    expect(meanwhile.get('building')?.map(each => each.id)).toEqual([first]);
    expect(meanwhile.get('queued')).toHaveLength(1);
    expect(meanwhile.get('superseded')).toHaveLength(49);
    expect([...house.machine.builds.keys()]).toEqual([first]);
    build.open();
    const newest = meanwhile.get('queued')![0]!;
    expect(ids).toContain(newest.id);
    await house.untilDeployment(newest.id, 'live');
    await eventually(async () => expect((await statuses()).get('superseded')).toHaveLength(50));
  });

  it('begin one when there is none, whoever was first', async () => {
    const id = await house.createService(replica);
    const build = new Latch();
    house.machine.script.build = build.wait;
    await Promise.all(Array.from({ length: 50 }, () => house.deploy(replica, id)));
    await build.reached;
    const active = (await house.deploymentsOf(id)).filter(({ status }) => status === 'building');
    expect(active).toHaveLength(1);
    expect([...house.machine.builds.keys()]).toEqual(active.map(each => each.id));
    build.open();
    await house.untilDeployment((await house.deploymentsOf(id)).at(-1)!.id, 'live');
  });
});

describe('cancelling', () => {
  const cancel = (id: string, deploymentId: string) =>
    replica.commands.cancel.execute({ ...of(id), deployment_id: deploymentId });

  it('ends a build, and says so only when nothing of it runs any more', async () => {
    const [build, cleanUp] = [new Latch(), new Latch()];
    house.machine.script.build = build.wait;
    house.machine.script.cleanUp = cleanUp.wait;
    const id = await house.createService(replica);
    const deploymentId = await house.deploy(replica, id);
    await build.reached;
    await cancel(id, deploymentId);
    await cleanUp.reached;
    expect((await house.deployment(deploymentId)).status).toBe('building');
    cleanUp.open();
    expect(await house.untilDeployment(deploymentId, 'cancelled')).toMatchObject({ error: null });
    expect(house.machine.builds.size).toBe(0);
    expect((await house.service(id)).status).toBe('created');
    await expect(cancel(id, deploymentId)).rejects.toEqual(refusal('deployment_over'));
  });

  it('ends a release; what served before still does', async () => {
    const { id, deploymentId: first } = await house.runningService(replica);
    const roll = new Latch();
    house.machine.script.roll = roll.wait;
    const second = await house.deploy(replica, id);
    await roll.reached;
    await cancel(id, second);
    await house.untilDeployment(second, 'cancelled');
    expect(house.machine.rollsOf(id)).toEqual([first]);
    expect((await house.service(id)).status).toBe('running');
  });

  it('one that is queued ends it at once, and lets the one under way go on', async () => {
    const build = new Latch();
    house.machine.script.build = build.wait;
    const id = await house.createService(replica);
    const first = await house.deploy(replica, id);
    await build.reached;
    const second = await house.deploy(replica, id);
    await cancel(id, second);
    expect((await house.deployment(second)).status).toBe('cancelled');
    build.open();
    await house.untilDeployment(first, 'live');
  });
});

describe('a rollback', () => {
  const rollBack = (id: string, deploymentId: string, by = replica) =>
    by.commands.rollBack({ ...of(id), deployment_id: deploymentId });

  it('releases the earlier artefact with the configuration of that time, without a build', async () => {
    house.configurations.today = { environment: { COLOUR: 'red' }, secrets: [] };
    const { id, deploymentId: first } = await house.runningService(replica);
    house.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [] };
    const second = await house.deploy(replica, id);
    await house.untilDeployment(second, 'live');
    expect(house.machine.serving(id)?.environment).toEqual({ COLOUR: 'blue' });
    const builds = house.machine.orders.length;

    const third = await rollBack(id, first);
    await house.untilDeployment(third, 'live');
    expect(await house.deployment(third)).toMatchObject({ rollback_of: first, commit: 'a'.repeat(40), branch: 'main' });
    await house.untilDeployment(second, 'rolled_back');
    expect(house.machine.orders).toHaveLength(builds);
    expect(house.machine.serving(id)).toMatchObject({
      artefact: { reference: `artefact-${first}` },
      environment: { COLOUR: 'red' },
    });
  });

  it('to a rollback goes to the configuration of the first', async () => {
    house.configurations.today = { environment: { COLOUR: 'red' }, secrets: [] };
    const { id, deploymentId: first } = await house.runningService(replica);
    house.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [] };
    await house.untilDeployment(await house.deploy(replica, id), 'live');
    const back = await rollBack(id, first);
    await house.untilDeployment(back, 'live');
    await house.untilDeployment(await house.deploy(replica, id), 'live');
    await house.untilDeployment(await rollBack(id, back), 'live');
    expect(house.machine.serving(id)?.environment).toEqual({ COLOUR: 'red' });
  });

  it('is refused to a deployment that was never live, and to one that is not there', async () => {
    const { id } = await house.runningService(replica);
    const failed = await house.deploy(replica, id, 'nowhere');
    await house.untilDeployment(failed, 'failed');
    await expect(rollBack(id, failed)).rejects.toEqual(refusal('deployment_never_live'));
    await expect(rollBack(id, OWNER)).rejects.toEqual(refusal('deployment_not_found'));
  });

  it('reaches back as far as artefacts are kept; the older ones are gone', async () => {
    await house.stopReplicas();
    replica = await house.replica({ retainedReleases: 2 });
    const { id, deploymentId: first } = await house.runningService(replica);
    const second = await house.deploy(replica, id);
    await house.untilDeployment(second, 'live');
    const third = await house.deploy(replica, id);
    await house.untilDeployment(third, 'live');
    await waitFor(() => !house.machine.artefacts.has(first), { describe: 'the oldest artefact to be deleted' });
    expect(house.machine.artefacts.has(second)).toBe(true);
    await expect(rollBack(id, first)).rejects.toMatchObject({
      code: 'deployment_too_old',
      message: expect.stringContaining('kept for the last 2'),
    });
    await house.untilDeployment(await rollBack(id, second), 'live');
  });
});

describe('start, restart and stop', () => {
  it('start releases the live artefact again with the environment of today, without a build', async () => {
    const { id, deploymentId } = await house.runningService(replica);
    const builds = house.machine.orders.length;
    house.configurations.today = { environment: { NEW: '1' }, secrets: [] };
    expect(await replica.commands.lifecycle.start(of(id))).toEqual({ id, status: 'starting' });
    await house.untilService(id, 'running');
    expect(house.machine.orders).toHaveLength(builds);
    expect(house.machine.serving(id)).toMatchObject({
      artefact: { reference: `artefact-${deploymentId}` },
      environment: { NEW: '1' },
    });
  });

  it('a restart that fails leaves what ran, and says why', async () => {
    const { id, deploymentId } = await house.runningService(replica);
    house.machine.script.roll = () => {
      throw new RollFailed('connection refused');
    };
    expect(await replica.commands.lifecycle.restart(of(id))).toEqual({ id, status: 'restarting' });
    expect(await house.untilService(id, 'running')).toMatchObject({ status_reason: 'connection refused' });
    expect(house.machine.traffic.get(id)).toBe(deploymentId);
  });

  it('a stop ends all of it, and a start brings it back', async () => {
    const { id, deploymentId } = await house.runningService(replica);
    expect(await replica.commands.lifecycle.stop(of(id))).toEqual({ id, status: 'stopping' });
    await house.untilService(id, 'stopped');
    expect(house.machine.rollsOf(id)).toEqual([]);
    expect((await house.deployment(deploymentId)).status).toBe('live');
    await replica.commands.lifecycle.start(of(id));
    await house.untilService(id, 'running');
  });

  it('a stop during a build cancels it, with the reason', async () => {
    const { id } = await house.runningService(replica);
    const build = new Latch();
    house.machine.script.build = build.wait;
    const second = await house.deploy(replica, id);
    await build.reached;
    await replica.commands.lifecycle.stop(of(id));
    expect((await house.untilDeployment(second, 'cancelled')).error).toBe(
      'cancelled, because the web service was stopped',
    );
    await house.untilService(id, 'stopped');
    expect(house.machine.builds.size).toBe(0);
  });

  it('a stop does not wait for a build that is slow to end', async () => {
    const { id } = await house.runningService(replica);
    const [build, cleanUp] = [new Latch(), new Latch()];
    house.machine.script.build = build.wait;
    house.machine.script.cleanUp = cleanUp.wait;
    const second = await house.deploy(replica, id);
    await build.reached;
    await replica.commands.lifecycle.stop(of(id));
    await house.untilService(id, 'stopped');
    expect((await house.deployment(second)).status).toBe('building');
    cleanUp.open();
    await house.untilDeployment(second, 'cancelled');
  });

  it('a start while it stops comes after the stop', async () => {
    const { id } = await house.runningService(replica);
    const stop = new Latch();
    house.machine.script.stop = stop.wait;
    await replica.commands.lifecycle.stop(of(id));
    await stop.reached;
    expect(await replica.commands.lifecycle.start(of(id))).toEqual({ id, status: 'starting' });
    stop.open();
    await house.untilService(id, 'running');
    expect(house.machine.rollsOf(id)).toHaveLength(1);
  });

  it('a stop that hangs ends as failed', async () => {
    await house.stopReplicas();
    replica = await house.replica({
      deadlines: { queueMs: 60_000, buildMs: 60_000, releaseMs: 60_000, stopMs: 200, graceMs: 50 },
    });
    const { id } = await house.runningService(replica);
    const stop = new Latch();
    house.machine.script.stop = stop.wait;
    await replica.commands.lifecycle.stop(of(id));
    expect((await house.untilService(id, 'failed')).status_reason).toMatch(/^it could not be stopped within/);
    stop.open();
  });

  it.each([
    ['start', 'nothing_to_start'],
    ['restart', 'never_ran'],
    ['stop', 'never_ran'],
  ] as const)('%s of a service that never ran is refused', async (action, code) => {
    const id = await house.createService(replica);
    await expect(replica.commands.lifecycle[action](of(id))).rejects.toEqual(refusal(code));
  });
});

describe('the sealed configurations of a service', () => {
  const never = new AbortController().signal;
  const rollBackTo = (id: string, deploymentId: string) =>
    replica.commands.rollBack({ ...of(id), deployment_id: deploymentId });
  const sealedBeside = (others: ReadonlySet<string>) =>
    new Set([...house.configurations.sealed.keys()].filter(id => !others.has(id)));
  const restarted = async (id: string): Promise<void> => {
    const before = house.machine.rolls.length;
    await replica.commands.lifecycle.restart(of(id));
    await waitFor(() => house.machine.rolls.length > before);
    await house.untilService(id, 'running');
    await eventually(async () => expect((await house.eventsOf(id)).at(-1)).toBe('release-served'));
  };

  it('go when nothing can need them; what runs and what can be gone back to keep theirs', async () => {
    await house.stopReplicas();
    replica = await house.replica({ retainedReleases: 2 });
    const retaining = replica.deleteOldConfigurations();
    const others = new Set(house.configurations.sealed.keys());
    house.configurations.today = { environment: { COLOUR: 'red' }, secrets: [] };
    const { id, deploymentId: first } = await house.runningService(replica);
    for (let times = 0; times < 3; times++) await restarted(id);
    const deploy = async () => {
      const deploymentId = await house.deploy(replica, id);
      await house.untilDeployment(deploymentId, 'live');
      return deploymentId;
    };
    const second = await deploy();
    house.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [] };
    const third = await deploy();
    await restarted(id);
    const serving = house.machine.serving(id)!.rollId;
    expect(sealedBeside(others).size).toBe(7);

    await retaining.run(never);
    expect(sealedBeside(others)).toEqual(new Set([second, third, serving]));
    await expect(rollBackTo(id, first)).rejects.toEqual(refusal('deployment_too_old'));
    await house.untilDeployment(await rollBackTo(id, second), 'live');
    expect(house.machine.serving(id)?.environment).toEqual({ COLOUR: 'red' });
    await retaining.run(never);
    expect(sealedBeside(others)).toEqual(new Set([second, third]));
  });

  it('are looked through once for every history, and again when there is more of it', async () => {
    const read: string[] = [];
    const retaining = replica.deleteOldConfigurations((id, until) => {
      read.push(id);
      return replica.repository.historyOf(id, until);
    });
    const { id } = await house.runningService(replica);
    await retaining.run(never);
    expect(read).toContain(id);
    read.length = 0;
    await retaining.run(never);
    expect(read).not.toContain(id);
    await restarted(id);
    await retaining.run(never);
    expect(read).toContain(id);
  });

  it('stay for a while after they are over, for who has read the events before', async () => {
    await house.stopReplicas();
    replica = await house.replica({ retainMs: 60_000 });
    const retaining = replica.deleteOldConfigurations();
    const others = new Set(house.configurations.sealed.keys());
    const { id } = await house.runningService(replica);
    for (let times = 0; times < 2; times++) await restarted(id);
    await retaining.run(never);
    expect(sealedBeside(others).size).toBe(3);
  });
});

describe('moderation', () => {
  const moderate = (id: string, action: 'block' | 'unblock' | 'suspend' | 'resume', actor = OPERATOR) =>
    replica.commands.moderate.execute({ actor_id: actor, web_service_id: id, action, reason: 'phishing' });

  it('blocking during a release ends it and what serves, and refuses everything until it is lifted', async () => {
    const { id } = await house.runningService(replica);
    const roll = new Latch();
    house.machine.script.roll = roll.wait;
    const second = await house.deploy(replica, id);
    await roll.reached;
    await moderate(id, 'block');
    expect((await house.untilDeployment(second, 'cancelled')).error).toBe(
      'cancelled, because the web service was blocked',
    );
    await house.untilService(id, 'stopped');
    expect(house.machine.rollsOf(id)).toEqual([]);
    const blocked = { code: 'service_blocked', message: expect.stringContaining('phishing') };
    for (const action of ['start', 'restart', 'stop'] as const)
      await expect(replica.commands.lifecycle[action](of(id))).rejects.toMatchObject(blocked);
    await expect(house.deploy(replica, id)).rejects.toMatchObject(blocked);
    await moderate(id, 'unblock');
    house.machine.script.roll = () => {};
    await replica.commands.lifecycle.start(of(id));
    await house.untilService(id, 'running');
  });

  it('suspending refuses with a code of its own', async () => {
    const { id } = await house.runningService(replica);
    await moderate(id, 'suspend');
    await house.untilService(id, 'stopped');
    await expect(house.deploy(replica, id)).rejects.toEqual(refusal('service_suspended'));
    await moderate(id, 'resume');
    await house.untilDeployment(await house.deploy(replica, id), 'live');
  });

  it('of the platform’s own ends as it began: what ran runs again, and nobody had to ask', async () => {
    const [running, stopped] = [await house.runningService(replica), await house.runningService(replica)];
    await replica.commands.lifecycle.stop(of(stopped.id));
    await house.untilService(stopped.id, 'stopped');
    for (const { id } of [running, stopped]) await replica.commands.suspensions.suspend(id, 'too much traffic');
    await house.untilService(running.id, 'stopped');
    await expect(house.deploy(replica, running.id)).rejects.toEqual(refusal('service_suspended'));
    for (const { id } of [running, stopped])
      for (let times = 0; times < 2; times++) await replica.commands.suspensions.lift(id, 'a new month has begun');
    await house.untilService(running.id, 'running');
    expect(house.machine.serving(running.id)).toMatchObject({ artefact: { commit: 'a'.repeat(40) } });
    expect((await house.service(stopped.id)).status).toBe('stopped');
    expect((await house.eventsOf(running.id)).filter(name => name === 'web-service-start-requested')).toHaveLength(1);
    await house.untilDeployment(await house.deploy(replica, stopped.id), 'live');
  });

  it('is for operators alone', async () => {
    const { id } = await house.runningService(replica);
    await expect(moderate(id, 'block', OWNER)).rejects.toEqual(refusal('not_an_operator'));
  });
});

describe('the runtime', () => {
  it('gets back what it lost, and loses what nobody asked for', async () => {
    const { id, deploymentId } = await house.runningService(replica);
    const plan = house.machine.serving(id)!;
    house.machine.remove(id);
    house.machine.run({ ...plan, webServiceId: OWNER, rollId: OPERATOR });
    await eventually(() => expect(house.machine.rollsOf(id)).toEqual([deploymentId]));
    await eventually(() => expect(house.machine.rollsOf(OWNER)).toEqual([]));
  });

  it('is not reconciled into a service while that is released or stopped', async () => {
    const { id, deploymentId: first } = await house.runningService(replica);
    const [roll, reconciled] = [new Latch(), new Latch()];
    house.machine.script.roll = roll.wait;
    const second = await house.deploy(replica, id);
    await roll.reached;
    house.machine.script.reconcile = () => reconciled.wait().then(() => {});
    await reconciled.reached;
    reconciled.open();
    await waitFor(() => house.machine.rollsOf(id).length === 2);
    roll.open();
    await house.untilDeployment(second, 'live');
    expect(house.machine.rollsOf(id)).toEqual([second]);
    expect((await house.deployment(first)).status).toBe('superseded');
  });

  it('that answers nothing for long makes the service failed, until it answers again', async () => {
    await house.stopReplicas();
    replica = await house.replica({ unansweringMs: 200 });
    const { id } = await house.runningService(replica);
    house.machine.unhealthy.set(id, 'exited with code 1');
    expect((await house.untilService(id, 'failed')).status_reason).toBe(
      'nothing has answered for 1 second: exited with code 1',
    );
    house.machine.unhealthy.delete(id);
    expect(await house.untilService(id, 'running')).toMatchObject({ status_reason: null });
  });

  it('that is out of order for a moment fails nothing', async () => {
    let failures = 2;
    house.machine.script.build = () => {
      if (failures-- > 0) throw new Error('ENOSPC');
    };
    const id = await house.createService(replica);
    await house.untilDeployment(await house.deploy(replica, id), 'live');
  }, 15_000);
});
