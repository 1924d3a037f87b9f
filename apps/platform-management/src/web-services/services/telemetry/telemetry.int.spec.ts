import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BuildFailed } from '@postern/runtime';
import { eventually } from '@postern/testing';
import { ofService } from '../../../testing/fake-neighbours.js';
import { Latch } from '../../../testing/latch.js';
import { type Replica, WebServicesFixture } from '../../../testing/web-services-fixture.js';

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

/** The value of the metric with this name and these labels; undefined if there is none. */
const shown = async ({ metrics }: Replica, name: string, labels: Record<string, string> = {}) => {
  const lines = (await metrics.render()).split('\n').filter(line => line.startsWith(`${name}{`));
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = lines.find(each => wanted.every(label => each.includes(label)));
  return line === undefined ? undefined : Number(/ (\S+)/.exec(line.slice(line.lastIndexOf('}')))?.[1]);
};
const outcomes = (of: Replica, outcome: string, labels = {}) =>
  shown(of, 'postern_deployments_outcomes_total', { outcome, ...labels });

describe('the outcomes of deployments', () => {
  it('start at 0, so that the first failure is an increase', async () => {
    expect(await outcomes(replica, 'failed', { stage: 'building' })).toBe(0);
    expect(await shown(replica, 'postern_web_services_instance_restarts_total')).toBe(0);
  });

  it('are counted and timed by kind and stage', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    fixture.machine.script.build = () => {
      throw new BuildFailed('npm exited with code 1');
    };
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    const rollBack = { ...ofService(id), deployment_id: deploymentId };
    await fixture.untilDeployment(await replica.commands.rollBack(rollBack), 'live');

    expect(await outcomes(replica, 'live')).toBe(2);
    expect(await outcomes(replica, 'failed', { stage: 'building' })).toBe(1);
    expect(await outcomes(replica, 'rolled_back')).toBe(1);
    const durations = (labels: Record<string, string>) => shown(replica, 'postern_deployments_duration_count', labels);
    expect(await durations({ outcome: 'live', kind: 'deployment' })).toBe(1);
    expect(await durations({ outcome: 'live', kind: 'rollback' })).toBe(1);
    expect(await durations({ outcome: 'failed', kind: 'deployment' })).toBe(1);
    const builds = (result: string) => shown(replica, 'postern_deployments_build_duration_count', { result });
    expect([await builds('built'), await builds('failed')]).toEqual([1, 1]);
  });

  it('are counted once over all replicas, even after a leader is killed', async () => {
    const building = new Latch();
    fixture.machine.script.build = building.wait;
    const id = await fixture.createService(replica);
    const deploymentId = await fixture.deploy(replica, id);
    await building.reached;
    await replica.kill();
    fixture.machine.script.build = () => {};
    const successor = await fixture.replica();
    const standby = await fixture.replica({}, false);
    await fixture.untilDeployment(deploymentId, 'live');

    expect(await Promise.all([replica, successor, standby].map(each => outcomes(each, 'live')))).toEqual([0, 1, 0]);
  });
});

describe('the gauges', () => {
  it('show active deployments, and how long deployments wait for a build slot', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({ concurrentBuilds: 1 });
    const building = new Latch();
    fixture.machine.script.build = building.wait;
    const [busy, waiting] = [await fixture.createService(replica), await fixture.createService(replica)];
    await fixture.deploy(replica, busy);
    await building.reached;
    // `own` waits for the active deployment of its service, `other` for a build slot.
    const own = await fixture.deploy(replica, busy);
    const other = await fixture.deploy(replica, waiting);

    const active = (status: string) => shown(replica, 'postern_deployments_active', { status });
    expect([await active('queued'), await active('building'), await active('releasing')]).toEqual([2, 1, 0]);
    expect(await shown(replica, 'postern_deployments_queue_depth')).toBe(1);
    expect(await shown(replica, 'postern_deployments_queue_delay')).toBeGreaterThan(0);
    building.open();
    for (const id of [own, other]) await fixture.untilDeployment(id, 'live');
    expect([await active('queued'), await active('building')]).toEqual([0, 0]);
    expect(await shown(replica, 'postern_deployments_queue_delay')).toBe(0);
  });

  it('show web services by status, also for unused statuses', async () => {
    const services = (status: string) => shown(replica, 'postern_web_services_count', { status });
    const created = (await services('created'))!;
    await fixture.createService(replica);
    expect(await services('created')).toBe(created + 1);
    expect(await services('restarting')).toBe(0);
  });

  it('show instances and count restarts in the leading replica', async () => {
    const standby = await fixture.replica({}, false);
    const instances = (of: Replica, state: string) => shown(of, 'postern_web_services_instances', { state });
    const { id } = await fixture.runningService(replica, { min_instances: 3, max_instances: 3 });
    await eventually(async () => expect(await instances(replica, 'answering')).toBeGreaterThanOrEqual(3));
    expect(await instances(standby, 'answering')).toBe(0);

    fixture.machine.unhealthy.set(id, 'exited with code 1');
    await eventually(async () => expect(await instances(replica, 'silent')).toBe(3));
    fixture.machine.restarts.set(id, 2);
    await eventually(async () => expect(await shown(replica, 'postern_web_services_instance_restarts_total')).toBe(2));
    fixture.machine.unhealthy.delete(id);
  });

  it('move to the next leader, which counts no restart twice', async () => {
    const { id } = await fixture.runningService(replica);
    fixture.machine.restarts.set(id, 7);
    const shownBy = (of: Replica) => shown(of, 'postern_web_services_instances', { state: 'answering' });
    await eventually(async () => expect(await shownBy(replica)).toBeGreaterThan(0));
    const successor = await fixture.replica();
    await replica.stop();
    expect(await shownBy(replica)).toBe(0);
    await eventually(async () => expect(await shownBy(successor)).toBeGreaterThan(0));
    fixture.machine.restarts.set(id, 8);
    await eventually(async () =>
      expect(await shown(successor, 'postern_web_services_instance_restarts_total')).toBe(1),
    );
  });
});
