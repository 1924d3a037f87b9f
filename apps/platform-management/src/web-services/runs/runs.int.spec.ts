import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { createRun, RequestOf } from '@postern/contracts';
import { type RunEnd, type RunOrder, Runtime } from '@postern/runtime';
import type { ChangeNotices, Database, ServiceLog } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import { WorkspaceUsage } from '../../accounts/quotas/workspace-usage.js';
import type { ProjectOwners } from '../../projects/ports.js';
import { OWNER, ofService } from '../../testing/fake-neighbours.js';
import { type Replica, WebServicesFixture } from '../../testing/web-services-fixture.js';
import type { WebServices } from '../services/web-services.projection.js';
import { CancelRun } from './cancel-run.js';
import { CreateRun } from './create-run.js';
import { ExecuteRuns } from './execute-runs.js';
import { GetRun } from './get-run.js';
import { Runs } from './runs.js';

const owners = { requireOwner: async () => ({ userId: OWNER }) } as unknown as WebServices;
let failed = 0;
const log = {
  info() {},
  warn() {},
  error() {
    failed += 1;
  },
} as unknown as ServiceLog;
const refusal = (code: string) => expect.objectContaining({ code });

/** A runtime for commands: each run ends when the test ends it or when its signal aborts. */
class CommandMachine {
  readonly features = new Set<string>(['runs']);
  readonly orders: RunOrder[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<RunEnd>>();

  readonly runtime = {
    features: async () => this.features,
    logs: async () => [],
    run: (order: RunOrder, signal: AbortSignal) => {
      this.orders.push(order);
      const aborted = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      );
      return Promise.race([this.#endOf(order.runId).promise, aborted]);
    },
  } as unknown as Runtime;

  end(runId: string, end: RunEnd): void {
    this.#endOf(runId).resolve(end);
  }

  #endOf(runId: string): PromiseWithResolvers<RunEnd> {
    const end = this.#ends.get(runId) ?? Promise.withResolvers<RunEnd>();
    this.#ends.set(runId, end);
    return end;
  }
}

let fixture: WebServicesFixture;
let replica: Replica;
let machine: CommandMachine;
let database: Database;
let runs: Runs;
let projects: ProjectOwners;
beforeAll(async () => {
  fixture = await WebServicesFixture.start();
  database = { pool: fixture.pool } as Database;
  const { rows } = await fixture.pool.query<{ workspace_id: string }>('SELECT workspace_id FROM projects LIMIT 1');
  const workspaceId = rows[0]!.workspace_id;
  projects = { requireOwner: async () => ({ userId: OWNER, workspaceId }) } as unknown as ProjectOwners;
}, 120_000);
afterAll(() => fixture?.stop());
beforeEach(async () => {
  replica = await fixture.replica();
  machine = new CommandMachine();
  runs = new Runs(database);
  fixture.configurations.today = { environment: { TARGET: 'shop' }, secrets: [], sources: {} };
});
afterEach(async () => {
  await fixture.stopReplicas();
  await fixture.pool.query('UPDATE runs SET finished_at = now() WHERE finished_at IS NULL');
});

const create = (webServiceId: string, command = 'npm run seed') => {
  const usage = new WorkspaceUsage(database);
  const creation = new CreateRun(owners, replica.repository, projects, usage, machine.runtime, runs);
  const request = { ...ofService(webServiceId), command } as RequestOf<typeof createRun>;
  return creation.execute(request);
};
const changes = { add: () => undefined } as unknown as ChangeNotices;
const leader = (of: Runs = runs) => {
  const { repository, platformVariables } = replica;
  return new ExecuteRuns(of, repository, fixture.configurations, platformVariables, machine.runtime, log, changes);
};
/** Reconciles while environments cannot be read, until an attempt has failed or the run has ended. */
const attempted = async (leaderRuns: ExecuteRuns, failure: Error) => {
  const before = failed;
  fixture.configurations.failure = failure;
  await leaderRuns.reconcile();
  await waitFor(async () => failed > before || (await runs.unfinished()).length === 0);
  fixture.configurations.failure = undefined;
};
const of = (webServiceId: string, runId: string) => ({ ...ofService(webServiceId), run_id: runId });
const read = (webServiceId: string, runId: string) =>
  new GetRun(owners, runs, machine.runtime).execute(of(webServiceId, runId));

describe('a one-off command', () => {
  it('runs once in the live release with its environment; its exit code is recorded', async () => {
    const { id } = await fixture.runningService(replica);
    const run = await create(id);
    expect(run).toMatchObject({ web_service_id: id, status: 'queued', exit_code: null, command: 'npm run seed' });
    const leaderRuns = leader();
    await leaderRuns.reconcile();
    await waitFor(() => machine.orders.length === 1);
    expect(await read(id, run.id)).toMatchObject({ status: 'running', started_at: expect.any(String) });
    const { artefact } = fixture.machine.serving(id)!;
    expect(machine.orders[0]).toMatchObject({ runId: run.id, webServiceId: id, command: 'npm run seed', artefact });
    expect(machine.orders[0]?.environment).toMatchObject({ TARGET: 'shop' });
    machine.end(run.id, { exitCode: 3, reason: 'exited with code 3' });
    await waitFor(async () => (await read(id, run.id)).finished_at !== null);
    await leaderRuns.reconcile();
    expect(await read(id, run.id)).toMatchObject({ status: 'failed', exit_code: 3, reason: 'exited with code 3' });
    expect(machine.orders).toHaveLength(1);
  });

  it('of a stopped web service has the environment that a start would have', async () => {
    const { id } = await fixture.runningService(replica);
    const { lifecycle } = replica.commands;
    fixture.configurations.today = { environment: { TARGET: 'restarted' }, secrets: [], sources: {} };
    await lifecycle.restart(ofService(id));
    await waitFor(() => fixture.machine.serving(id)?.environment['TARGET'] === 'restarted');
    await lifecycle.stop(ofService(id));
    await fixture.untilService(id, 'stopped');
    const run = await create(id);
    fixture.configurations.today = { environment: { TARGET: 'stopped' }, secrets: [], sources: {} };
    await leader().reconcile();
    await waitFor(() => machine.orders.length === 1);
    expect(machine.orders[0]).toMatchObject({ runId: run.id, environment: { TARGET: 'stopped' } });
  });

  it('is sent again with the same id by the next leader, and recorded once', async () => {
    const { id } = await fixture.runningService(replica);
    const run = await create(id);
    await leader().reconcile();
    await waitFor(() => machine.orders.length === 1);
    await leader().reconcile();
    await waitFor(() => machine.orders.length === 2);
    expect(machine.orders.map(({ runId }) => runId)).toEqual([run.id, run.id]);
    machine.end(run.id, { exitCode: 0, reason: null });
    await waitFor(async () => (await read(id, run.id)).status === 'succeeded');
  });

  it('is ended by a cancellation, and cannot be cancelled twice', async () => {
    const { id } = await fixture.runningService(replica);
    const run = await create(id);
    const leaderRuns = leader();
    await leaderRuns.reconcile();
    await waitFor(() => machine.orders.length === 1);
    const cancel = new CancelRun(owners, runs);
    await cancel.execute(of(id, run.id));
    await leaderRuns.reconcile();
    await waitFor(async () => (await read(id, run.id)).status === 'cancelled');
    await expect(cancel.execute(of(id, run.id))).rejects.toEqual(refusal('run_over'));
    await expect(cancel.execute(of(id, OWNER))).rejects.toEqual(refusal('run_not_found'));
  });

  it('ends when the stopped web service is blocked or suspended; queued commands do not start', async () => {
    for (const kind of ['block', 'suspend'] as const) {
      const { id } = await fixture.runningService(replica);
      await replica.repository.execute(id, at => ({ kind: 'stop', userId: OWNER, at }));
      await waitFor(async () => (await replica.repository.stateOf(id)).status === 'stopped');
      const running = await create(id);
      const leaderRuns = leader();
      await leaderRuns.reconcile();
      await waitFor(() => machine.orders.some(({ runId }) => runId === running.id));
      const queued = await create(id);
      await replica.repository.execute(id, at => ({ kind, actorId: OWNER, reason: 'phishing', at }));
      await leaderRuns.reconcile();
      const end = { status: 'cancelled', reason: 'the web service is blocked, suspended or deleted' };
      for (const run of [running, queued]) {
        await waitFor(async () => (await read(id, run.id)).finished_at !== null);
        expect(await read(id, run.id)).toMatchObject(end);
      }
      expect(machine.orders.map(({ runId }) => runId)).not.toContain(queued.id);
    }
  });

  it.each<[string, (run: { id: string; web_service_id: string }) => Promise<unknown>]>([
    ['is cancelled', run => new CancelRun(owners, runs).execute(of(run.web_service_id, run.id))],
    [
      'has its web service blocked',
      ({ web_service_id }) =>
        replica.repository.execute(web_service_id, at => ({ kind: 'block', actorId: OWNER, reason: 'phishing', at })),
    ],
    ['has its web service deleted', ({ web_service_id }) => replica.commands.remove.execute(ofService(web_service_id))],
  ])('does not start when it %s while its environment is read', async (_, change) => {
    const { id } = await fixture.runningService(replica);
    const run = await create(id);
    const listed = await runs.unfinished();
    await change(run);
    const stale = new (class extends Runs {
      override async unfinished() {
        return listed;
      }
    })(database);
    await leader(stale).reconcile();
    await expect(runs.begin(run.id)).resolves.toBe(false);
    await new Promise(resolve => setTimeout(resolve, 200));
    expect(machine.orders).toEqual([]);
  });

  it('fails 10 minutes after its deadline if the runtime does not respond', async () => {
    const { id } = await fixture.runningService(replica);
    const run = await create(id);
    await fixture.pool.query(
      "UPDATE runs SET created_at = now() - interval '70 minutes' + interval '2 seconds' WHERE id = $1",
      [run.id],
    );
    await leader().reconcile();
    await waitFor(() => machine.orders.length === 1);
    await waitFor(async () => (await read(id, run.id)).finished_at !== null);
    expect(await read(id, run.id)).toMatchObject({ status: 'failed', reason: 'the runtime did not answer in time' });
  });

  it('waits while its environment cannot be read', async () => {
    const { id } = await fixture.runningService(replica);
    const run = await create(id);
    const leaderRuns = leader();
    await attempted(leaderRuns, new Error('Connection terminated unexpectedly'));
    expect(await read(id, run.id)).toMatchObject({ status: 'queued', finished_at: null });
    await leaderRuns.reconcile();
    await waitFor(() => machine.orders.length === 1);
    machine.end(run.id, { exitCode: 0, reason: null });
    await waitFor(async () => (await read(id, run.id)).status === 'succeeded');
  });

  it('that runs continues when the next leader cannot decrypt its environment', async () => {
    const { id } = await fixture.runningService(replica);
    const run = await create(id);
    await leader().reconcile();
    await waitFor(() => machine.orders.length === 1);
    const next = leader();
    await attempted(next, new Error('the encryption key "first" is not configured'));
    expect(await read(id, run.id)).toMatchObject({ status: 'running', finished_at: null });
    await next.reconcile();
    await waitFor(() => machine.orders.length === 2);
    machine.end(run.id, { exitCode: 0, reason: null });
    await waitFor(async () => (await read(id, run.id)).status === 'succeeded');
  });

  it('fails if its environment was deleted', async () => {
    const { id } = await fixture.runningService(replica);
    const run = await create(id);
    fixture.configurations.sealed.clear();
    await leader().reconcile();
    await waitFor(async () => (await read(id, run.id)).finished_at !== null);
    expect(await read(id, run.id)).toMatchObject({
      status: 'failed',
      reason: 'the release was replaced, and its environment deleted',
    });
  });

  it('is refused without a release, on a runtime without support, and above the quota of instances', async () => {
    const unborn = await fixture.createService(replica);
    await expect(create(unborn)).rejects.toEqual(refusal('nothing_to_run'));
    const { id } = await fixture.runningService(replica);
    await expect(create(id, 'echo \0')).rejects.toEqual(refusal('invalid_input'));
    machine.features.clear();
    await expect(create(id)).rejects.toEqual(refusal('runs_not_supported'));
    machine.features.add('runs');
    const usage = await new WorkspaceUsage(database).usageOf(
      (await projects.requireOwner({} as never, '')).workspaceId,
    );
    await fixture.pool.query(
      `INSERT INTO workspace_quotas (workspace_id, limits) SELECT workspace_id, $1::jsonb FROM projects LIMIT 1
       ON CONFLICT (workspace_id) DO UPDATE SET limits = $1`,
      [JSON.stringify({ instances: usage.instances + 1 })],
    );
    await create(id);
    await expect(create(id)).rejects.toEqual(refusal('quota_reached'));
    await fixture.pool.query('DELETE FROM workspace_quotas');
  });

  it('is deleted with its web service', async () => {
    const { id } = await fixture.runningService(replica);
    const run = await create(id);
    await replica.commands.remove.execute(ofService(id));
    await waitFor(async () => (await runs.find(id, run.id)) === undefined, { timeoutMs: 20_000 });
    await expect(create(id)).rejects.toBeDefined();
  });
});
