import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runInContext } from '@postern/messaging';
import { eventually, waitFor } from '@postern/testing';
import { Latch, OPERATOR, OWNER, type Replica, WebServicesFixture } from '../testing/web-services-fixture.js';

let house: WebServicesFixture;
let first: Replica;

beforeAll(async () => {
  house = await WebServicesFixture.start();
}, 60_000);
afterAll(() => house.stop());

beforeEach(async () => {
  first = await house.replica();
});
afterEach(async () => {
  await house.stopReplicas();
  Object.assign(house.machine.script, { resolve: () => {}, build: () => {}, roll: () => {}, stop: () => {} });
  house.configurations.today = { environment: {}, secrets: [] };
  expect(house.machine.overlaps).toBe(0);
});

const of = (id: string) => ({ user_id: OWNER, web_service_id: id });
type Stage = 'resolve' | 'build' | 'roll' | 'stop';

/** Lets a stage never end, and resolves when it has begun. */
const hold = (stage: Stage): Promise<void> => {
  const latch = new Latch();
  house.machine.script[stage] = latch.wait;
  return latch.reached;
};
const goOn = (stage: Stage): void => {
  house.machine.script[stage] = () => {};
};

describe('after kill -9 of the driver', () => {
  it.each(['resolve', 'build', 'roll'] as const)(
    'during the %s of a deployment, the next leader brings it to its end, once',
    async stage => {
      const held = hold(stage);
      const id = await house.createService(first);
      const deploymentId = await house.deploy(first, id);
      await held;
      await first.kill();
      goOn(stage);
      await house.replica();
      await house.untilDeployment(deploymentId, 'live');
      expect(house.machine.rollsOf(id)).toEqual([deploymentId]);
      expect(house.machine.builds.size).toBe(0);
      const events = await house.eventsOf(id);
      expect(new Set(events).size).toBe(events.length);
    },
  );

  it('what the next leader does belongs to the request that asked for it, as what the first one did', async () => {
    const asked = { correlationId: 'order-7', traceparent: `00-${'4b'.repeat(16)}-${'f0'.repeat(8)}-00` };
    const held = hold('build');
    const id = await house.createService(first);
    const deploymentId = await runInContext(asked, () => house.deploy(first, id));
    await held;
    await first.kill();
    goOn('build');
    const second = await house.replica();
    await house.untilDeployment(deploymentId, 'live');
    await runInContext({ correlationId: 'order-8' }, () => second.commands.lifecycle.restart(of(id)));
    await eventually(async () => expect((await house.eventsOf(id)).at(-1)).toBe('release-served'));

    const [, ...caused] = await house.metadataOf(id);
    const [deployment, restart] = [caused.slice(0, 7), caused.slice(7)];
    for (const metadata of deployment) expect(metadata).toMatchObject(asked);
    expect(restart.map(({ correlationId }) => correlationId)).toEqual(['order-8', 'order-8', 'order-8']);
  });

  it('between a request and its beginning, the next leader begins it', async () => {
    await first.stop();
    const bystander = await house.replica({}, false);
    const id = await house.createService(bystander);
    const deploymentId = await house.deploy(bystander, id);
    await bystander.kill();
    expect((await house.deployment(deploymentId)).status).toBe('queued');
    await house.replica();
    await house.untilDeployment(deploymentId, 'live');
  });

  it('during a restart, the next leader goes on with the same release and the same configuration', async () => {
    house.configurations.today = { environment: { COLOUR: 'red' }, secrets: [] };
    const { id } = await house.runningService(first);
    const held = hold('roll');
    house.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [] };
    await first.commands.lifecycle.restart(of(id));
    await held;
    const rolled = house.machine.rolls.at(-1)!;
    await first.kill();
    house.configurations.today = { environment: { COLOUR: 'green' }, secrets: [] };
    goOn('roll');
    await house.replica();
    await house.untilService(id, 'running');
    expect(house.machine.serving(id)).toMatchObject({ rollId: rolled.rollId, environment: { COLOUR: 'blue' } });
  });

  it('during a stop, the next leader stops it', async () => {
    const { id } = await house.runningService(first);
    const held = hold('stop');
    await first.commands.lifecycle.stop(of(id));
    await held;
    await first.kill();
    goOn('stop');
    await house.replica();
    await house.untilService(id, 'stopped');
    expect(house.machine.rollsOf(id)).toEqual([]);
  });

  it('while a build is being cancelled, the next leader sees it gone and says so', async () => {
    const id = await house.createService(first);
    const held = hold('build');
    const cleaning = new Latch();
    house.machine.script.cleanUp = cleaning.wait;
    const deploymentId = await house.deploy(first, id);
    await held;
    await first.commands.cancel.execute({ ...of(id), deployment_id: deploymentId });
    await cleaning.reached;
    await first.kill();
    house.machine.script.cleanUp = () => {};
    await house.replica();
    await house.untilDeployment(deploymentId, 'cancelled');
    expect(house.machine.builds.size).toBe(0);
  });

  it('in a release that was blocked meanwhile, the next leader ends everything of the service', async () => {
    const { id, deploymentId: live } = await house.runningService(first);
    const held = hold('roll');
    const second = await house.deploy(first, id);
    await held;
    await first.kill();
    const bystander = await house.replica({}, false);
    await bystander.commands.moderate.execute({
      actor_id: OPERATOR,
      web_service_id: id,
      action: 'block',
      reason: 'phishing',
    });
    expect(house.machine.rollsOf(id)).toEqual([live, second]);
    await house.replica();
    await house.untilDeployment(second, 'cancelled');
    await house.untilService(id, 'stopped');
    expect(house.machine.rollsOf(id)).toEqual([]);
  });

  it('a rollback under way is released with the earlier configuration', async () => {
    house.configurations.today = { environment: { COLOUR: 'red' }, secrets: [] };
    const { id, deploymentId } = await house.runningService(first);
    house.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [] };
    await house.untilDeployment(await house.deploy(first, id), 'live');
    const held = hold('roll');
    const back = await first.commands.rollBack({ ...of(id), deployment_id: deploymentId });
    await held;
    await first.kill();
    goOn('roll');
    await house.replica();
    await house.untilDeployment(back, 'live');
    expect(house.machine.serving(id)?.environment).toEqual({ COLOUR: 'red' });
  });

  it('what serves goes on serving, untouched', async () => {
    const { id, deploymentId } = await house.runningService(first);
    await first.kill();
    const rolls = house.machine.rolls.length;
    const next = await house.replica();
    await house.untilDeployment(await house.deploy(next, await house.createService(next)), 'live');
    expect(house.machine.rollsOf(id)).toEqual([deploymentId]);
    expect(house.machine.rolls).toHaveLength(rolls + 1);
  });

  it('one that stands by takes over by itself', async () => {
    const held = hold('build');
    const id = await house.createService(first);
    const deploymentId = await house.deploy(first, id);
    await held;
    await house.replica();
    goOn('build');
    await house.untilDeployment(deploymentId, 'building');
    await first.kill();
    await house.untilDeployment(deploymentId, 'live');
  });
});

describe('after everything was down for long', () => {
  const short = { queueMs: 200, buildMs: 200, releaseMs: 200, stopMs: 5_000, graceMs: 50 };

  /** Waits until a span has passed on the clock that deadlines are measured by. */
  const passed = (ms: number) => {
    const until = Date.now() + ms;
    return waitFor(() => Date.now() >= until);
  };

  it('a build past its deadline has failed, and nothing of it runs', async () => {
    const held = hold('build');
    const id = await house.createService(first);
    const deploymentId = await house.deploy(first, id);
    await held;
    await first.kill();
    await passed(short.buildMs);
    await house.replica({ deadlines: short });
    expect((await house.untilDeployment(deploymentId, 'failed')).error).toMatch(/^the build was not done within/);
    expect(house.machine.builds.size).toBe(0);
    expect(house.machine.rollsOf(id)).toEqual([]);
  });

  it('a release past its deadline has failed, and what served before serves', async () => {
    const { id, deploymentId: live } = await house.runningService(first);
    const held = hold('roll');
    const second = await house.deploy(first, id);
    await held;
    await first.kill();
    await passed(short.releaseMs);
    await house.replica({ deadlines: short });
    expect((await house.untilDeployment(second, 'failed')).error).toMatch(/^no instance answered within/);
    await house.untilService(id, 'running');
    await eventually(() => expect(house.machine.rollsOf(id)).toEqual([live]));
  });

  it('a deployment that waited too long for its turn has failed', async () => {
    await first.stop();
    const bystander = await house.replica({}, false);
    const id = await house.createService(bystander);
    const deploymentId = await house.deploy(bystander, id);
    await passed(short.queueMs);
    await house.replica({ deadlines: short });
    expect((await house.untilDeployment(deploymentId, 'failed')).error).toMatch(/^it was not its turn within/);
  });

  it('a service that was to stop is stopped all the same', async () => {
    const { id } = await house.runningService(first);
    const held = hold('stop');
    await first.commands.lifecycle.stop(of(id));
    await held;
    await first.kill();
    goOn('stop');
    await passed(300);
    await house.replica({ deadlines: { ...short, stopMs: 100 } });
    await house.untilService(id, 'stopped');
  });
});

describe('two that would lead', () => {
  it('are one: nothing is built or released twice', async () => {
    const second = await house.replica();
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, number) => house.createService(number % 2 ? first : second)),
    );
    const builds = house.machine.orders.length;
    const deployments = await Promise.all(ids.map((id, number) => house.deploy(number % 2 ? second : first, id)));
    await Promise.all(deployments.map(id => house.untilDeployment(id, 'live')));
    expect(house.machine.orders).toHaveLength(builds + 6);
  });

  it('hand over in an orderly way: what was begun is finished by the other', async () => {
    const held = hold('roll');
    const id = await house.createService(first);
    const deploymentId = await house.deploy(first, id);
    await held;
    await house.replica();
    goOn('roll');
    await first.stop();
    await house.untilDeployment(deploymentId, 'live');
  });
});
