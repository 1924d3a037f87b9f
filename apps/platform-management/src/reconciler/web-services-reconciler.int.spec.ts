import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, waitFor } from '@postern/testing';
import { BuildFailed, RollFailed } from '../ports/runtime.js';
import { Latch, OPERATOR, OWNER, type Replica, WebServicesFixture } from '../testing/web-services-fixture.js';

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
  await fixture.stopReplicas();
  Object.assign(fixture.machine.script, {
    resolve: () => {},
    build: () => {},
    roll: () => {},
    stop: () => {},
    reconcile: () => {},
    cleanUp: () => {},
  });
  fixture.configurations.today = { environment: {}, secrets: [] };
  expect(fixture.machine.overlaps).toBe(0);
});

const of = (id: string) => ({ user_id: OWNER, web_service_id: id });
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

  it('that replaces another marks it as superseded when it is live, not before', async () => {
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

  it('of a missing branch fails with a reason, and the web service stays as it was', async () => {
    const id = await fixture.createService(replica);
    const failed = await fixture.untilDeployment(await fixture.deploy(replica, id, 'nowhere'), 'failed');
    expect(failed.error).toBe('the repository has no branch nowhere');
    expect((await fixture.service(id)).status).toBe('created');
  });

  it('whose build fails shows the reason without secrets', async () => {
    fixture.configurations.today = { environment: { TOKEN: 'hush-hush' }, secrets: ['hush-hush'] };
    fixture.machine.script.build = () => {
      throw new BuildFailed('npm could not log in with hush-hush');
    };
    const id = await fixture.createService(replica);
    const failed = await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(failed.error).toBe('npm could not log in with ********');
    const written = JSON.stringify([fixture.machine.lines, await replica.repository.stateOf(id)]);
    expect(written).not.toContain('hush-hush');
  });

  it('whose first release never answers fails, like its web service', async () => {
    fixture.machine.script.roll = () => {
      throw new RollFailed('GET / answered 500');
    };
    const id = await fixture.createService(replica);
    const failed = await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(failed.error).toBe('GET / answered 500');
    expect(await fixture.untilService(id, 'failed')).toMatchObject({ status_reason: 'GET / answered 500' });
    expect(fixture.machine.rollsOf(id)).toEqual([]);
  });

  it('whose release fails leaves the earlier one serving', async () => {
    const { id, deploymentId: first } = await fixture.runningService(replica);
    fixture.machine.script.roll = () => {
      throw new RollFailed('GET / answered 500');
    };
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(await fixture.service(id)).toMatchObject({ status: 'running', status_reason: null });
    expect((await fixture.deployment(first)).status).toBe('live');
    expect(fixture.machine.traffic.get(id)).toBe(first);
  });

  it('whose build takes longer than its deadline is ended and fails', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({
      deadlines: { queueMs: 60_000, buildMs: 300, releaseMs: 60_000, stopMs: 60_000, graceMs: 50 },
    });
    fixture.machine.script.build = () => new Promise(() => {});
    const id = await fixture.createService(replica);
    const failed = await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(failed.error).toBe('the build was not done within 1 second');
    expect(fixture.machine.builds.size).toBe(0);
  });

  it('fails even if the runtime never ends it', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({
      deadlines: { queueMs: 60_000, buildMs: 100, releaseMs: 60_000, stopMs: 200, graceMs: 50 },
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

  it('begin one deployment when there is none', async () => {
    const id = await fixture.createService(replica);
    const build = new Latch();
    fixture.machine.script.build = build.wait;
    await Promise.all(Array.from({ length: 50 }, () => fixture.deploy(replica, id)));
    await build.reached;
    const active = (await fixture.deploymentsOf(id)).filter(({ status }) => status === 'building');
    expect(active).toHaveLength(1);
    expect([...fixture.machine.builds.keys()]).toEqual(active.map(each => each.id));
    build.open();
    await fixture.untilDeployment((await fixture.deploymentsOf(id)).at(-1)!.id, 'live');
  });
});

describe('cancelling', () => {
  const cancel = (id: string, deploymentId: string) =>
    replica.commands.cancel.execute({ ...of(id), deployment_id: deploymentId });

  it('ends a build, and reports it only when none of its processes run', async () => {
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

  it('a queued deployment ends it at once, and does not affect the active one', async () => {
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

describe('a rollback', () => {
  const rollBack = (id: string, deploymentId: string, by = replica) =>
    by.commands.rollBack({ ...of(id), deployment_id: deploymentId });

  it('releases the earlier artefact with the configuration of that time, without a build', async () => {
    fixture.configurations.today = { environment: { COLOUR: 'red' }, secrets: [] };
    const { id, deploymentId: first } = await fixture.runningService(replica);
    fixture.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [] };
    const second = await fixture.deploy(replica, id);
    await fixture.untilDeployment(second, 'live');
    expect(fixture.machine.serving(id)?.environment).toEqual({ COLOUR: 'blue' });
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

  it('to a rollback uses the configuration of the original deployment', async () => {
    fixture.configurations.today = { environment: { COLOUR: 'red' }, secrets: [] };
    const { id, deploymentId: first } = await fixture.runningService(replica);
    fixture.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [] };
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
    const back = await rollBack(id, first);
    await fixture.untilDeployment(back, 'live');
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
    await fixture.untilDeployment(await rollBack(id, back), 'live');
    expect(fixture.machine.serving(id)?.environment).toEqual({ COLOUR: 'red' });
  });

  it('is refused for a deployment that was never live, and for an unknown one', async () => {
    const { id } = await fixture.runningService(replica);
    const failed = await fixture.deploy(replica, id, 'nowhere');
    await fixture.untilDeployment(failed, 'failed');
    await expect(rollBack(id, failed)).rejects.toEqual(refusal('deployment_never_live'));
    await expect(rollBack(id, OWNER)).rejects.toEqual(refusal('deployment_not_found'));
  });

  it('is possible while the artefact is kept, and refused afterwards', async () => {
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

describe('start, restart and stop', () => {
  it('a start releases the live artefact with the current environment, without a build', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    const builds = fixture.machine.orders.length;
    fixture.configurations.today = { environment: { NEW: '1' }, secrets: [] };
    expect(await replica.commands.lifecycle.start(of(id))).toEqual({ id, status: 'starting' });
    await fixture.untilService(id, 'running');
    expect(fixture.machine.orders).toHaveLength(builds);
    expect(fixture.machine.serving(id)).toMatchObject({
      artefact: { reference: `artefact-${deploymentId}` },
      environment: { NEW: '1' },
    });
  });

  it('a restart that fails keeps the previous release and shows the reason', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    fixture.machine.script.roll = () => {
      throw new RollFailed('connection refused');
    };
    expect(await replica.commands.lifecycle.restart(of(id))).toEqual({ id, status: 'restarting' });
    expect(await fixture.untilService(id, 'running')).toMatchObject({ status_reason: 'connection refused' });
    expect(fixture.machine.traffic.get(id)).toBe(deploymentId);
  });

  it('a stop ends all instances, and a start starts them again', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    expect(await replica.commands.lifecycle.stop(of(id))).toEqual({ id, status: 'stopping' });
    await fixture.untilService(id, 'stopped');
    expect(fixture.machine.rollsOf(id)).toEqual([]);
    expect((await fixture.deployment(deploymentId)).status).toBe('live');
    await replica.commands.lifecycle.start(of(id));
    await fixture.untilService(id, 'running');
  });

  it('a stop during a build cancels it, with the reason', async () => {
    const { id } = await fixture.runningService(replica);
    const build = new Latch();
    fixture.machine.script.build = build.wait;
    const second = await fixture.deploy(replica, id);
    await build.reached;
    await replica.commands.lifecycle.stop(of(id));
    expect((await fixture.untilDeployment(second, 'cancelled')).error).toBe(
      'cancelled, because the web service was stopped',
    );
    await fixture.untilService(id, 'stopped');
    expect(fixture.machine.builds.size).toBe(0);
  });

  it('a stop does not wait for a build that is slow to end', async () => {
    const { id } = await fixture.runningService(replica);
    const [build, cleanUp] = [new Latch(), new Latch()];
    fixture.machine.script.build = build.wait;
    fixture.machine.script.cleanUp = cleanUp.wait;
    const second = await fixture.deploy(replica, id);
    await build.reached;
    await replica.commands.lifecycle.stop(of(id));
    await fixture.untilService(id, 'stopped');
    expect((await fixture.deployment(second)).status).toBe('building');
    cleanUp.open();
    await fixture.untilDeployment(second, 'cancelled');
  });

  it('a start during a stop follows the stop', async () => {
    const { id } = await fixture.runningService(replica);
    const stop = new Latch();
    fixture.machine.script.stop = stop.wait;
    await replica.commands.lifecycle.stop(of(id));
    await stop.reached;
    expect(await replica.commands.lifecycle.start(of(id))).toEqual({ id, status: 'starting' });
    stop.open();
    await fixture.untilService(id, 'running');
    expect(fixture.machine.rollsOf(id)).toHaveLength(1);
  });

  it('a stop that hangs fails', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({
      deadlines: { queueMs: 60_000, buildMs: 60_000, releaseMs: 60_000, stopMs: 200, graceMs: 50 },
    });
    const { id } = await fixture.runningService(replica);
    const stop = new Latch();
    fixture.machine.script.stop = stop.wait;
    await replica.commands.lifecycle.stop(of(id));
    expect((await fixture.untilService(id, 'failed')).status_reason).toMatch(/^it could not be stopped within/);
    stop.open();
  });

  it.each([
    ['start', 'nothing_to_start'],
    ['restart', 'never_ran'],
    ['stop', 'never_ran'],
  ] as const)('%s of a service that never ran is refused', async (action, code) => {
    const id = await fixture.createService(replica);
    await expect(replica.commands.lifecycle[action](of(id))).rejects.toEqual(refusal(code));
  });
});

describe('the stored configurations of a web service', () => {
  const never = new AbortController().signal;
  const rollBackTo = (id: string, deploymentId: string) =>
    replica.commands.rollBack({ ...of(id), deployment_id: deploymentId });
  const sealedBeside = (others: ReadonlySet<string>) =>
    new Set([...fixture.configurations.sealed.keys()].filter(id => !others.has(id)));
  const restarted = async (id: string): Promise<void> => {
    const before = fixture.machine.rolls.length;
    await replica.commands.lifecycle.restart(of(id));
    await waitFor(() => fixture.machine.rolls.length > before);
    await fixture.untilService(id, 'running');
    await eventually(async () => expect((await fixture.eventsOf(id)).at(-1)).toBe('release-served'));
  };

  it('are deleted when nothing needs them; running releases and possible rollbacks keep theirs', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({ retainedReleases: 2 });
    const retaining = replica.deleteOldConfigurations();
    const others = new Set(fixture.configurations.sealed.keys());
    fixture.configurations.today = { environment: { COLOUR: 'red' }, secrets: [] };
    const { id, deploymentId: first } = await fixture.runningService(replica);
    for (let times = 0; times < 3; times++) await restarted(id);
    const deploy = async () => {
      const deploymentId = await fixture.deploy(replica, id);
      await fixture.untilDeployment(deploymentId, 'live');
      return deploymentId;
    };
    const second = await deploy();
    fixture.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [] };
    const third = await deploy();
    await restarted(id);
    const serving = fixture.machine.serving(id)!.rollId;
    expect(sealedBeside(others).size).toBe(7);

    await retaining.run(never);
    expect(sealedBeside(others)).toEqual(new Set([second, third, serving]));
    await expect(rollBackTo(id, first)).rejects.toEqual(refusal('deployment_too_old'));
    await fixture.untilDeployment(await rollBackTo(id, second), 'live');
    expect(fixture.machine.serving(id)?.environment).toEqual({ COLOUR: 'red' });
    await retaining.run(never);
    expect(sealedBeside(others)).toEqual(new Set([second, third]));
  });

  it('are checked once, and again after new events', async () => {
    const read: string[] = [];
    const retaining = replica.deleteOldConfigurations((id, until) => {
      read.push(id);
      return replica.repository.historyOf(id, until);
    });
    const { id } = await fixture.runningService(replica);
    await retaining.run(never);
    expect(read).toContain(id);
    read.length = 0;
    await retaining.run(never);
    expect(read).not.toContain(id);
    await restarted(id);
    await retaining.run(never);
    expect(read).toContain(id);
  });

  it('are kept for a while after they are obsolete', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({ retainMs: 60_000 });
    const retaining = replica.deleteOldConfigurations();
    const others = new Set(fixture.configurations.sealed.keys());
    const { id } = await fixture.runningService(replica);
    for (let times = 0; times < 2; times++) await restarted(id);
    await retaining.run(never);
    expect(sealedBeside(others).size).toBe(3);
  });
});

describe('moderation', () => {
  const moderate = (id: string, action: 'block' | 'unblock' | 'suspend' | 'resume', actor = OPERATOR) =>
    replica.commands.moderate.execute({ actor_id: actor, web_service_id: id, action, reason: 'phishing' });

  it('blocking during a release ends it and the serving one, and refuses everything until it is unblocked', async () => {
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
      await expect(replica.commands.lifecycle[action](of(id))).rejects.toMatchObject(blocked);
    await expect(fixture.deploy(replica, id)).rejects.toMatchObject(blocked);
    await moderate(id, 'unblock');
    fixture.machine.script.roll = () => {};
    await replica.commands.lifecycle.start(of(id));
    await fixture.untilService(id, 'running');
  });

  it('suspending refuses with its own code', async () => {
    const { id } = await fixture.runningService(replica);
    await moderate(id, 'suspend');
    await fixture.untilService(id, 'stopped');
    await expect(fixture.deploy(replica, id)).rejects.toEqual(refusal('service_suspended'));
    await moderate(id, 'resume');
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
  });

  it('by the platform ends with a start of what it stopped', async () => {
    const [running, stopped] = [await fixture.runningService(replica), await fixture.runningService(replica)];
    await replica.commands.lifecycle.stop(of(stopped.id));
    await fixture.untilService(stopped.id, 'stopped');
    for (const { id } of [running, stopped]) await replica.commands.suspensions.suspend(id, 'too much traffic');
    await fixture.untilService(running.id, 'stopped');
    await expect(fixture.deploy(replica, running.id)).rejects.toEqual(refusal('service_suspended'));
    for (const { id } of [running, stopped])
      for (let times = 0; times < 2; times++) await replica.commands.suspensions.lift(id, 'a new month has begun');
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
  it('regains missing instances, and loses unknown ones', async () => {
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

  it('without an answer for long makes the web service failed, until it answers again', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({ unansweringMs: 200 });
    const { id } = await fixture.runningService(replica);
    fixture.machine.unhealthy.set(id, 'exited with code 1');
    expect((await fixture.untilService(id, 'failed')).status_reason).toBe(
      'nothing has answered for 1 second: exited with code 1',
    );
    fixture.machine.unhealthy.delete(id);
    expect(await fixture.untilService(id, 'running')).toMatchObject({ status_reason: null });
  });

  it('with a short outage fails nothing', async () => {
    let failures = 2;
    fixture.machine.script.build = () => {
      if (failures-- > 0) throw new Error('ENOSPC');
    };
    const id = await fixture.createService(replica);
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
  }, 15_000);
});
