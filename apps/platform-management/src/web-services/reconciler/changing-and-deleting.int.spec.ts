import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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

describe('changing settings', () => {
  it('shows them immediately, and the serving release keeps its settings until the next start', async () => {
    const { id } = await fixture.runningService(replica);
    const changes = { start_command: 'node new.js', port: 8080, branch: null, auto_deploy: false };
    expect(await replica.commands.change.execute({ ...ofService(id), ...changes })).toMatchObject({ id, ...changes });
    let scans = 0;
    fixture.machine.script.reconcile = () => {
      scans += 1;
    };
    await waitFor(() => scans >= 2);
    expect(fixture.machine.serving(id)).toMatchObject({ port: 3000, startCommand: undefined });
    await replica.commands.lifecycle.restart(ofService(id));
    await fixture.untilService(id, 'running');
    expect(fixture.machine.serving(id)).toMatchObject({ port: 8080, startCommand: 'node new.js' });
  });

  it('passes the release command to a new build, but not to a restart or a rollback', async () => {
    const { id } = await fixture.runningService(replica);
    fixture.machine.features.add('releaseCommand');
    await replica.commands.change.execute({ ...ofService(id), release_command: 'npm run migrate' });
    fixture.machine.features.clear();
    const first = await fixture.deploy(replica, id);
    await fixture.untilDeployment(first, 'live');
    await replica.commands.lifecycle.restart(ofService(id));
    await fixture.untilService(id, 'running');
    const rollback = await replica.commands.rollBack({ ...ofService(id), deployment_id: first });
    await fixture.untilDeployment(rollback, 'live');
    const rolls = fixture.machine.rolls.filter(plan => plan.webServiceId === id).slice(1);
    expect(rolls.map(plan => plan.releaseCommand)).toEqual(['npm run migrate', undefined, undefined]);
    expect(rolls.at(-1)?.rollId).toBe(rollback);
  });

  it('applies numbers of instances to the running release', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({ reconcileMs: 60_000 });
    const { id } = await fixture.runningService(replica);
    await replica.commands.change.execute({ ...ofService(id), min_instances: 2, max_instances: 4 });
    await waitFor(() => fixture.machine.serving(id)?.minInstances === 2);
    expect(fixture.machine.serving(id)).toMatchObject({ minInstances: 2, maxInstances: 4 });
  });

  it('counts instances and workers against the quota of the workspace', async () => {
    const { id } = await fixture.runningService(replica);
    fixture.machine.features.add('processes');
    const limits = JSON.stringify({ instances: 30 });
    await fixture.pool.query(
      `INSERT INTO workspace_quotas (workspace_id, limits)
       SELECT workspace_id, $1::jsonb FROM projects LIMIT 1 ON CONFLICT (workspace_id) DO UPDATE SET limits = $1`,
      [limits],
    );
    const many = replica.commands.change.execute({ ...ofService(id), processes: { worker: 20, mailer: 20 } });
    await expect(many).rejects.toEqual(refusal('quota_reached'));
    await fixture.pool.query('DELETE FROM workspace_quotas');
    fixture.machine.features.clear();
  });

  it('refuses invalid settings and features that the runtime does not support', async () => {
    const { id } = await fixture.runningService(replica);
    const change = (changes: object) => replica.commands.change.execute({ ...ofService(id), ...changes });
    for (const changes of [
      { release_command: 'npm run migrate' },
      { instance: { memory_mib: 256, cpu_millicores: 500 } },
      { drain_seconds: 5 },
      { processes: { worker: 1 } },
      { git_repository_url: 'ext::sh' },
      { branch: '--upload-pack=x' },
      { name: 'a\0b' },
      { max_instances: 1, min_instances: 2 },
    ])
      await expect(change(changes)).rejects.toEqual(refusal('invalid_input'));
    fixture.machine.features.add('instance');
    const instance = { memory_mib: 256, cpu_millicores: 500 };
    expect(await change({ instance })).toMatchObject({ instance });
    fixture.machine.features.clear();
    expect(await change({ instance: null, release_command: null, processes: {} })).toMatchObject({ instance: null });
  });
});

describe('deleting', () => {
  const rowsOf = async (id: string) => {
    const tables = ['web_services', 'deployments', 'releases', 'web_service_standings', 'metric_samples'];
    const counts = await Promise.all(
      tables.map(async table => {
        const column = table === 'web_services' ? 'id' : 'web_service_id';
        return (await fixture.pool.query(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [id])).rowCount;
      }),
    );
    return Object.fromEntries(tables.map((table, index) => [table, counts[index]]));
  };
  const NOTHING = { web_services: 0, deployments: 0, releases: 0, web_service_standings: 0, metric_samples: 0 };

  it('hides the service immediately, stops its instances and keeps only its events', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    const other = await fixture.runningService(replica);
    for (const sealed of [
      { id, of: deploymentId },
      { id: other.id, of: other.deploymentId },
    ])
      await fixture.pool.query(`INSERT INTO sealed_values (id, sealed, web_service_id) VALUES ($1, 'x', $2)`, [
        sealed.of,
        sealed.id,
      ]);
    const remove = new Latch();
    fixture.machine.script.remove = remove.wait;
    expect(await replica.commands.remove.execute(ofService(id))).toEqual({ id, deleted: true });
    await expect(replica.commands.remove.execute(ofService(id))).rejects.toEqual(refusal('web_service_not_found'));
    await expect(replica.commands.lifecycle.start(ofService(id))).rejects.toEqual(refusal('web_service_not_found'));
    remove.open();
    await waitFor(async () => (await rowsOf(id)).web_service_standings === 0);
    expect(await rowsOf(id)).toEqual(NOTHING);
    expect(fixture.machine.removed).toContain(id);
    const { rows } = await fixture.pool.query<{ id: string }>('SELECT id FROM sealed_values');
    expect(rows.map(row => row.id)).toEqual([other.deploymentId]);
    expect(fixture.machine.serving(other.id)).toBeDefined();
  });

  it('ends a hanging build and a hanging release', async () => {
    const { id } = await fixture.runningService(replica);
    const [build, roll] = [new Latch(), new Latch()];
    fixture.machine.script.build = build.wait;
    await fixture.deploy(replica, id);
    await build.reached;
    await replica.commands.remove.execute(ofService(id));
    await waitFor(() => fixture.machine.removed.has(id));
    expect(fixture.machine.builds.size).toBe(0);
    fixture.machine.script.build = () => {};
    const second = await fixture.runningService(replica);
    fixture.machine.script.roll = roll.wait;
    await fixture.deploy(replica, second.id);
    await roll.reached;
    await replica.commands.remove.execute(ofService(second.id));
    await waitFor(() => fixture.machine.removed.has(second.id));
    expect(fixture.machine.rollsOf(second.id)).toEqual([]);
  });

  it('is repeated until the runtime confirms it, and by another replica after a kill', async () => {
    const { id } = await fixture.runningService(replica);
    let attempts = 0;
    const hang = new Latch();
    fixture.machine.script.remove = () => {
      attempts += 1;
      if (attempts < 2) throw new Error('the agent was killed');
      return hang.wait();
    };
    await replica.commands.remove.execute(ofService(id));
    await hang.reached;
    await replica.kill();
    fixture.machine.script.remove = () => {};
    expect(fixture.machine.removed).not.toContain(id);
    replica = await fixture.replica();
    await waitFor(async () => (await rowsOf(id)).web_service_standings === 0);
    expect(fixture.machine.removed).toContain(id);
    expect(await rowsOf(id)).toEqual(NOTHING);
  });
});

describe('the log of a deployment', () => {
  const madeOlder = async (id: string, deploymentId: string) => {
    await fixture.pool.query(
      `UPDATE deployments SET started_at = started_at - interval '1 minute', finished_at = finished_at - interval '1 minute'
       WHERE id = $1`,
      [deploymentId],
    );
    const { lines } = fixture.machine;
    for (const [index, line] of lines.entries())
      if (line.webServiceId === id) lines[index] = { ...line, timestamp: new Date(line.timestamp.getTime() - 60_000) };
  };

  it('contains its own build and release, but no output of instances or of other deployments', async () => {
    const { id, deploymentId } = await fixture.runningService(replica);
    const line = {
      webServiceId: id,
      instance: 'web-1',
      stream: 'stdout',
      message: 'hello',
      timestamp: new Date(),
    } as const;
    fixture.machine.lines.push(line);
    // The log of a deployment is read until two seconds after its end.
    await madeOlder(id, deploymentId);
    const second = await fixture.deploy(replica, id);
    await fixture.untilDeployment(second, 'live');
    const messagesOf = async (deployment_id: string) =>
      (await replica.commands.deploymentLogs.execute({ ...ofService(id), deployment_id })).lines.map(
        ({ message }) => message,
      );
    const first = await messagesOf(deploymentId);
    expect(first).toContain(`Deployment ${deploymentId} is built`);
    expect(first).toContain(`The release of deployment ${deploymentId} begins`);
    expect(first.join(' ')).not.toMatch(new RegExp(`hello|${second}`));
    expect((await messagesOf(second)).join(' ')).not.toContain(deploymentId);
    const missing = replica.commands.deploymentLogs.execute({ ...ofService(id), deployment_id: id });
    await expect(missing).rejects.toEqual(refusal('deployment_not_found'));
  });
});

describe('the stored configurations of a web service', () => {
  const never = new AbortController();
  const rollBackTo = (id: string, deploymentId: string) =>
    replica.commands.rollBack({ ...ofService(id), deployment_id: deploymentId });
  const sealedBeside = (others: ReadonlySet<string>) =>
    new Set([...fixture.configurations.sealed.keys()].filter(id => !others.has(id)));
  const restarted = async (id: string): Promise<void> => {
    const before = fixture.machine.rolls.length;
    await replica.commands.lifecycle.restart(ofService(id));
    await waitFor(() => fixture.machine.rolls.length > before);
    await fixture.untilService(id, 'running');
    await eventually(async () => expect((await fixture.eventsOf(id)).at(-1)).toBe('release-served'));
  };

  it('are deleted when unused; a configuration stays while a running release or a possible rollback uses it', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({ retainedReleases: 2 });
    const retaining = replica.deleteOldConfigurations();
    const others = new Set(fixture.configurations.sealed.keys());
    fixture.configurations.today = { environment: { COLOUR: 'red' }, secrets: [], sources: {} };
    const { id, deploymentId: first } = await fixture.runningService(replica);
    for (let times = 0; times < 3; times++) await restarted(id);
    const deploy = async () => {
      const deploymentId = await fixture.deploy(replica, id);
      await fixture.untilDeployment(deploymentId, 'live');
      return deploymentId;
    };
    const second = await deploy();
    fixture.configurations.today = { environment: { COLOUR: 'blue' }, secrets: [], sources: {} };
    const third = await deploy();
    await restarted(id);
    const serving = fixture.machine.serving(id)!.rollId;
    expect(sealedBeside(others).size).toBe(7);

    await retaining.run({ now: new Date(), signal: never.signal });
    expect(sealedBeside(others)).toEqual(new Set([second, third, serving]));
    await expect(rollBackTo(id, first)).rejects.toEqual(refusal('deployment_too_old'));
    const back = await rollBackTo(id, second);
    await fixture.untilDeployment(back, 'live');
    expect(fixture.machine.serving(id)?.environment).toMatchObject({ COLOUR: 'red' });
    await retaining.run({ now: new Date(), signal: never.signal });
    expect(sealedBeside(others)).toEqual(new Set([third, back]));
  });

  it('are checked once, and again only after new events', async () => {
    const read: string[] = [];
    const retaining = replica.deleteOldConfigurations((id, until) => {
      read.push(id);
      return replica.repository.historyOf(id, until);
    });
    const { id } = await fixture.runningService(replica);
    await retaining.run({ now: new Date(), signal: never.signal });
    expect(read).toContain(id);
    read.length = 0;
    await retaining.run({ now: new Date(), signal: never.signal });
    expect(read).not.toContain(id);
    await restarted(id);
    await retaining.run({ now: new Date(), signal: never.signal });
    expect(read).toContain(id);
  });

  it('are kept for the retention period after they become obsolete', async () => {
    await fixture.stopReplicas();
    replica = await fixture.replica({ retainMs: 60_000 });
    const retaining = replica.deleteOldConfigurations();
    const others = new Set(fixture.configurations.sealed.keys());
    const { id } = await fixture.runningService(replica);
    for (let times = 0; times < 2; times++) await restarted(id);
    await retaining.run({ now: new Date(), signal: never.signal });
    expect(sealedBeside(others).size).toBe(3);
  });
});
