import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runInContext } from '@postern/messaging';
import { eventually, waitFor } from '@postern/testing';
import { OPERATOR, ofService } from '../../testing/fake-neighbours.js';
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
});
afterEach(() => fixture.reset());

type Stage = 'resolve' | 'build' | 'roll' | 'stop';

/** Blocks a stage, and resolves when the stage has started. */
const hold = (stage: Stage): Promise<void> => {
  const latch = new Latch();
  fixture.machine.script[stage] = latch.wait;
  return latch.reached;
};
const goOn = (stage: Stage): void => {
  fixture.machine.script[stage] = () => {};
};

describe('after kill -9 of the leader', () => {
  it.each(['resolve', 'build', 'roll'] as const)(
    'during the %s of a deployment, the next leader completes it once',
    async stage => {
      const held = hold(stage);
      const id = await fixture.createService(first);
      const deploymentId = await fixture.deploy(first, id);
      await held;
      await first.kill();
      goOn(stage);
      await fixture.replica();
      await fixture.untilDeployment(deploymentId, 'live');
      expect(fixture.machine.rollsOf(id)).toEqual([deploymentId]);
      expect(fixture.machine.builds.size).toBe(0);
      const events = await fixture.eventsOf(id);
      expect(new Set(events).size).toBe(events.length);
    },
  );

  it('work of the next leader has the context of the request, like that of the first leader', async () => {
    const context = { correlationId: 'order-7', traceparent: `00-${'4b'.repeat(16)}-${'f0'.repeat(8)}-00` };
    const held = hold('build');
    const id = await fixture.createService(first);
    const deploymentId = await runInContext(context, () => fixture.deploy(first, id));
    await held;
    await first.kill();
    goOn('build');
    const second = await fixture.replica();
    await fixture.untilDeployment(deploymentId, 'live');
    await runInContext({ correlationId: 'order-8' }, () => second.commands.lifecycle.restart(ofService(id)));
    await eventually(async () => expect((await fixture.eventsOf(id)).at(-1)).toBe('release-served'));

    const [, ...caused] = await fixture.metadataOf(id);
    const [deployment, restart] = [caused.slice(0, 7), caused.slice(7)];
    for (const metadata of deployment) expect(metadata).toMatchObject(context);
    expect(restart.map(({ correlationId }) => correlationId)).toEqual(['order-8', 'order-8', 'order-8']);
  });

  it('between a request and its start, the next leader starts it', async () => {
    await first.stop();
    const bystander = await fixture.replica({}, false);
    const id = await fixture.createService(bystander);
    const deploymentId = await fixture.deploy(bystander, id);
    await bystander.kill();
    expect((await fixture.deployment(deploymentId)).status).toBe('queued');
    await fixture.replica();
    await fixture.untilDeployment(deploymentId, 'live');
  });

  it('during a restart, the next leader continues the same release with the same configuration', async () => {
    fixture.configurations.today = { environment: { COLOUR: 'red' }, secrets: [], sources: {} };
    const { id } = await fixture.runningService(first);
    const held = hold('roll');
    fixture.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [], sources: {} };
    await first.commands.lifecycle.restart(ofService(id));
    await held;
    const rolled = fixture.machine.rolls.at(-1)!;
    await first.kill();
    fixture.configurations.today = { environment: { COLOUR: 'green' }, secrets: [], sources: {} };
    goOn('roll');
    await fixture.replica();
    await fixture.untilService(id, 'running');
    expect(fixture.machine.serving(id)).toMatchObject({ rollId: rolled.rollId, environment: { COLOUR: 'blue' } });
  });

  it('during a stop, the next leader stops it', async () => {
    const { id } = await fixture.runningService(first);
    const held = hold('stop');
    await first.commands.lifecycle.stop(ofService(id));
    await held;
    await first.kill();
    goOn('stop');
    await fixture.replica();
    await fixture.untilService(id, 'stopped');
    expect(fixture.machine.rollsOf(id)).toEqual([]);
  });

  it('during the cancellation of a build, the next leader reports its end', async () => {
    const id = await fixture.createService(first);
    const held = hold('build');
    const cleaning = new Latch();
    fixture.machine.script.cleanUp = cleaning.wait;
    const deploymentId = await fixture.deploy(first, id);
    await held;
    await first.commands.cancel.execute({ ...ofService(id), deployment_id: deploymentId });
    await cleaning.reached;
    await first.kill();
    fixture.machine.script.cleanUp = () => {};
    await fixture.replica();
    await fixture.untilDeployment(deploymentId, 'cancelled');
    expect(fixture.machine.builds.size).toBe(0);
  });

  it('during a release of a web service that is then blocked, the next leader stops everything', async () => {
    const { id, deploymentId: live } = await fixture.runningService(first);
    const held = hold('roll');
    const second = await fixture.deploy(first, id);
    await held;
    await first.kill();
    const bystander = await fixture.replica({}, false);
    await bystander.commands.moderate.execute({
      actor_id: OPERATOR,
      web_service_id: id,
      action: 'block',
      reason: 'phishing',
    });
    expect(fixture.machine.rollsOf(id)).toEqual([live, second]);
    await fixture.replica();
    await fixture.untilDeployment(second, 'cancelled');
    await fixture.untilService(id, 'stopped');
    expect(fixture.machine.rollsOf(id)).toEqual([]);
  });

  it('a rollback in progress is completed with the earlier configuration', async () => {
    fixture.configurations.today = { environment: { COLOUR: 'red' }, secrets: [], sources: {} };
    const { id, deploymentId } = await fixture.runningService(first);
    fixture.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [], sources: {} };
    await fixture.untilDeployment(await fixture.deploy(first, id), 'live');
    const held = hold('roll');
    const back = await first.commands.rollBack({ ...ofService(id), deployment_id: deploymentId });
    await held;
    await first.kill();
    goOn('roll');
    await fixture.replica();
    await fixture.untilDeployment(back, 'live');
    expect(fixture.machine.serving(id)?.environment).toMatchObject({ COLOUR: 'red' });
  });

  it('the serving release keeps serving without a new roll', async () => {
    const { id, deploymentId } = await fixture.runningService(first);
    await first.kill();
    const rolls = fixture.machine.rolls.length;
    const next = await fixture.replica();
    await fixture.untilDeployment(await fixture.deploy(next, await fixture.createService(next)), 'live');
    expect(fixture.machine.rollsOf(id)).toEqual([deploymentId]);
    expect(fixture.machine.rolls).toHaveLength(rolls + 1);
  });

  it('a standby replica takes over', async () => {
    const held = hold('build');
    const id = await fixture.createService(first);
    const deploymentId = await fixture.deploy(first, id);
    await held;
    await fixture.replica();
    goOn('build');
    await fixture.untilDeployment(deploymentId, 'building');
    await first.kill();
    await fixture.untilDeployment(deploymentId, 'live');
  });
});

describe('after a long outage of all replicas', () => {
  const short = { queueMs: 200, buildMs: 200, releaseMs: 200, stopMs: 5_000, preemptMs: 60_000, graceMs: 50 };

  /** Waits for a time span on the clock that deadlines use. */
  const passed = (ms: number) => {
    const until = Date.now() + ms;
    return waitFor(() => Date.now() >= until);
  };

  it('a build past its deadline fails and leaves no process running', async () => {
    const held = hold('build');
    const id = await fixture.createService(first);
    const deploymentId = await fixture.deploy(first, id);
    await held;
    await first.kill();
    await passed(short.buildMs);
    await fixture.replica({ deadlines: short });
    expect((await fixture.untilDeployment(deploymentId, 'failed')).error).toMatch(/^the build did not finish within/);
    expect(fixture.machine.builds.size).toBe(0);
    expect(fixture.machine.rollsOf(id)).toEqual([]);
  });

  it('a release past its deadline fails, and the previous one keeps serving', async () => {
    const { id, deploymentId: live } = await fixture.runningService(first);
    const held = hold('roll');
    const second = await fixture.deploy(first, id);
    await held;
    await first.kill();
    await passed(short.releaseMs);
    await fixture.replica({ deadlines: short });
    expect((await fixture.untilDeployment(second, 'failed')).error).toMatch(/^no instance responded within/);
    await fixture.untilService(id, 'running');
    await eventually(() => expect(fixture.machine.rollsOf(id)).toEqual([live]));
  });

  it('a deployment past its queue deadline fails', async () => {
    await first.stop();
    const bystander = await fixture.replica({}, false);
    const id = await fixture.createService(bystander);
    const deploymentId = await fixture.deploy(bystander, id);
    await passed(short.queueMs);
    await fixture.replica({ deadlines: short });
    expect((await fixture.untilDeployment(deploymentId, 'failed')).error).toMatch(
      /^it waited in the queue for more than/,
    );
  });

  it('a web service with a requested stop is stopped', async () => {
    const { id } = await fixture.runningService(first);
    const held = hold('stop');
    await first.commands.lifecycle.stop(ofService(id));
    await held;
    await first.kill();
    goOn('stop');
    await passed(300);
    await fixture.replica({ deadlines: { ...short, stopMs: 100 } });
    await fixture.untilService(id, 'stopped');
  });
});

describe('two candidates for leadership', () => {
  it('build and release everything once', async () => {
    const second = await fixture.replica();
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, number) => fixture.createService(number % 2 ? first : second)),
    );
    const builds = fixture.machine.orders.length;
    const deployments = await Promise.all(ids.map((id, number) => fixture.deploy(number % 2 ? second : first, id)));
    await Promise.all(deployments.map(id => fixture.untilDeployment(id, 'live')));
    expect(fixture.machine.orders).toHaveLength(builds + 6);
  });

  it('fail over: the second one finishes the release that the first one began', async () => {
    const held = hold('roll');
    const id = await fixture.createService(first);
    const deploymentId = await fixture.deploy(first, id);
    await held;
    await fixture.replica();
    goOn('roll');
    await first.stop();
    await fixture.untilDeployment(deploymentId, 'live');
  });
});
