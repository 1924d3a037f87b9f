import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { changeCronJob, createCronJob, RequestInput, RequestOf } from '@postern/contracts';
import type { Runtime } from '@postern/runtime';
import type { Database, ServiceLog } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import { WorkspaceUsage } from '../../accounts/quotas/workspace-usage.js';
import type { ProjectOwners } from '../../projects/ports.js';
import { OWNER, ofService, WORKSPACE } from '../../testing/fake-neighbours.js';
import { type Replica, WebServicesFixture } from '../../testing/web-services-fixture.js';
import { Runs } from '../runs/runs.js';
import type { WebServices } from '../services/web-services.projection.js';
import { ChangeCronJob } from './change-cron-job.js';
import { CreateCronJob } from './create-cron-job.js';
import { CronJobs } from './cron-jobs.js';
import { ListCronJobRuns } from './list-cron-job-runs.js';
import { ListCronJobs } from './list-cron-jobs.js';
import { RemoveCronJob } from './remove-cron-job.js';
import { RunCronJobs } from './run-cron-jobs.js';

const owners = { requireOwner: async () => ({ userId: OWNER }) } as unknown as WebServices;
const projects = { ownerOf: async () => ({ userId: OWNER, workspaceId: WORKSPACE }) } as unknown as ProjectOwners;
const silent = { info() {}, warn() {}, error() {} } as unknown as ServiceLog;
const refusal = (code: string) => expect.objectContaining({ code });
const features = new Set(['runs']);
const runtime = { features: async () => features } as unknown as Runtime;
const MINUTE = 60_000;

let fixture: WebServicesFixture;
let replica: Replica;
let database: Database;
let jobs: CronJobs;
let runs: Runs;
beforeAll(async () => {
  fixture = await WebServicesFixture.start();
  database = { pool: fixture.pool } as Database;
}, 120_000);
afterAll(() => fixture?.stop());
beforeEach(async () => {
  replica = await fixture.replica();
  jobs = new CronJobs(database);
  runs = new Runs(database);
  features.add('runs');
});
afterEach(async () => {
  await fixture.stopReplicas();
  await fixture.pool.query('DELETE FROM cron_jobs');
  await fixture.pool.query('UPDATE runs SET finished_at = now() WHERE finished_at IS NULL');
});

const create = (webServiceId: string, changes: Partial<RequestInput<typeof createCronJob>> = {}) => {
  const defaults = { overlap: 'skip', time_limit_seconds: 600, enabled: true };
  const request = {
    ...ofService(webServiceId),
    name: 'report',
    schedule: '* * * * *',
    time_zone: 'UTC',
    command: 'node report.js',
    ...defaults,
  };
  return new CreateCronJob(owners, jobs, runtime).execute({ ...request, ...changes } as RequestOf<
    typeof createCronJob
  >);
};
const change = (job: { id: string; web_service_id: string }, changes: Partial<RequestOf<typeof changeCronJob>>) =>
  new ChangeCronJob(owners, jobs).execute({
    ...ofService(job.web_service_id),
    cron_job_id: job.id,
    ...changes,
  } as RequestOf<typeof changeCronJob>);
const historyOf = async (job: { id: string; web_service_id: string }) =>
  (
    await new ListCronJobRuns(owners, jobs).execute({
      ...ofService(job.web_service_id),
      cron_job_id: job.id,
      limit: 100,
      offset: 0,
    } as never)
  ).items;
const timerWith = (cronJobs: CronJobs) =>
  new RunCronJobs(cronJobs, replica.repository, projects, new WorkspaceUsage(database), silent);
const timer = () => timerWith(jobs);
/** One second after the next scheduled time of the job, plus `laterMs`. */
const timeOf = (job: { next_run_at: string | null }, laterMs = 0) =>
  new Date(Date.parse(job.next_run_at!) + 1_000 + laterMs);
const finish = (runId: string) => runs.finish(runId, { status: 'succeeded', exitCode: 0, reason: null });

describe('A cron job', () => {
  it('runs its command at each time of its schedule, with the live release and its time limit', async () => {
    const { id } = await fixture.runningService(replica);
    const job = await create(id);
    await timer().run({ now: new Date(Date.parse(job.next_run_at!) - 1) });
    expect(await historyOf(job)).toEqual([]);
    await timer().run({ now: timeOf(job) });
    const [run] = await historyOf(job);
    expect(run).toMatchObject({ status: 'queued', command: 'node report.js', cron_job_id: job.id });
    expect(run?.scheduled_for).toBe(job.next_run_at);
    const stored = (await runs.unfinished()).find(each => each.id === run?.id);
    expect(stored).toMatchObject({ timeLimitSeconds: 600, release: fixture.machine.serving(id) && expect.anything() });
    await finish(run!.id);
    await timer().run({ now: timeOf(job, MINUTE) });
    expect((await historyOf(job)).map(({ status }) => status)).toEqual(['queued', 'succeeded']);
    const [listed] = await new ListCronJobs(owners, jobs).execute(ofService(id) as never);
    expect(listed).toMatchObject({ name: 'report', last_run: { status: 'queued' } });
    expect((await runs.list(id, { limit: 10, offset: 0 })).total).toBe(0);
  });

  it('runs once at each scheduled time with several replicas', async () => {
    const { id } = await fixture.runningService(replica);
    const job = await create(id, { overlap: 'allow' });
    const now = timeOf(job);
    const replicas = Array.from({ length: 3 }, () => timerWith(new CronJobs(database)));
    await Promise.all(replicas.map(each => each.run({ now })));
    await timer().run({ now });
    expect(await historyOf(job)).toHaveLength(1);
  });

  it('is skipped while its last run is in progress, and the history contains the reason', async () => {
    const { id } = await fixture.runningService(replica);
    const job = await create(id);
    await timer().run({ now: timeOf(job) });
    await timer().run({ now: timeOf(job, MINUTE) });
    expect(await historyOf(job)).toMatchObject([
      { status: 'cancelled', reason: 'skipped: the previous run has not finished', finished_at: expect.any(String) },
      { status: 'queued' },
    ]);
  });

  it('replaces the run in progress, or runs concurrently with it, as its overlap setting specifies', async () => {
    const { id } = await fixture.runningService(replica);
    const replacing = await create(id, { name: 'replacing', overlap: 'replace' });
    const allowing = await create(id, { name: 'allowing', overlap: 'allow' });
    await timer().run({ now: timeOf(replacing) });
    await timer().run({ now: timeOf(replacing, MINUTE) });
    const unfinished = await runs.unfinished();
    const cancelledOf = (job: { id: string }) =>
      unfinished.filter(({ cronJobId }) => cronJobId === job.id).map(({ isCancelled }) => isCancelled);
    expect(cancelledOf(replacing).sort()).toEqual([false, true]);
    expect(cancelledOf(allowing)).toEqual([false, false]);
  });

  it('runs once after Postern was down, and its history lists the missed times', async () => {
    const { id } = await fixture.runningService(replica);
    const job = await create(id);
    await timer().run({ now: timeOf(job, 10 * MINUTE) });
    const [run, missed, ...others] = await historyOf(job);
    expect(run).toMatchObject({ status: 'queued' });
    expect(Date.parse(run!.scheduled_for!)).toBe(Date.parse(job.next_run_at!) + 10 * MINUTE);
    expect(missed).toMatchObject({ status: 'cancelled' });
    expect(missed?.reason).toBe(
      `missed: Postern was not running at this time and at 9 earlier ones since ${job.next_run_at}`,
    );
    expect(others).toEqual([]);
    await timer().run({ now: timeOf(job, 10 * MINUTE) });
    expect(await historyOf(job)).toHaveLength(2);
  });

  it('does not run while its web service is stopped or not deployed, and does not run later for these times', async () => {
    const unborn = await fixture.createService(replica);
    const job = await create(unborn);
    await timer().run({ now: timeOf(job) });
    expect(await historyOf(job)).toEqual([]);
    const { id } = await fixture.runningService(replica);
    const stopped = await create(id);
    await replica.commands.lifecycle.stop(ofService(id));
    await waitFor(async () => (await replica.repository.stateOf(id)).status === 'stopped');
    await timer().run({ now: timeOf(stopped) });
    expect(await historyOf(stopped)).toEqual([]);
    const [moved] = await new ListCronJobs(owners, jobs).execute(ofService(id) as never);
    expect(Date.parse(moved!.next_run_at!)).toBeGreaterThan(Date.parse(stopped.next_run_at!));
  });

  it('is skipped beyond the quota of instances, and the history contains the reason', async () => {
    const { id } = await fixture.runningService(replica);
    const job = await create(id);
    await fixture.pool.query(
      `INSERT INTO workspace_quotas (workspace_id, limits) VALUES ($1, '{"instances": 0}')
       ON CONFLICT (workspace_id) DO UPDATE SET limits = excluded.limits`,
      [WORKSPACE],
    );
    await timer().run({ now: timeOf(job) });
    await fixture.pool.query('DELETE FROM workspace_quotas');
    expect(await historyOf(job)).toMatchObject([{ status: 'cancelled', reason: expect.stringMatching(/^skipped: /) }]);
  });

  it('can be changed, disabled and deleted; it uses a changed schedule from now on', async () => {
    const { id } = await fixture.runningService(replica);
    const job = await create(id);
    expect(await change(job, { schedule: '0 3 1 1 *' })).toMatchObject({
      next_run_at: expect.stringMatching(/-01-01T03:00/),
    });
    expect(await change(job, { enabled: false })).toMatchObject({ enabled: false, next_run_at: null });
    await timer().run({ now: new Date(Date.now() + 24 * 60 * MINUTE) });
    expect(await historyOf(job)).toEqual([]);
    const again = await change(job, { enabled: true, schedule: '* * * * *', name: 'other', time_limit_seconds: 5 });
    expect(again).toMatchObject({ enabled: true, name: 'other', time_limit_seconds: 5, overlap: 'skip' });
    await timer().run({ now: timeOf(again) });
    const [run] = await historyOf(job);
    await new RemoveCronJob(owners, jobs).execute({ ...ofService(id), cron_job_id: job.id });
    expect(await runs.find(id, run!.id)).toMatchObject({ isCancelled: true });
    await expect(new RemoveCronJob(owners, jobs).execute({ ...ofService(id), cron_job_id: job.id })).rejects.toEqual(
      refusal('cron_job_not_found'),
    );
    await expect(historyOf(job)).rejects.toEqual(refusal('cron_job_not_found'));
  });

  it('is refused with an invalid schedule, a duplicate name, beyond the limit, and on a runtime without commands', async () => {
    const { id } = await fixture.runningService(replica);
    await expect(create(id, { schedule: '61 * * * *' })).rejects.toEqual(refusal('invalid_input'));
    await expect(create(id, { command: 'echo \0' })).rejects.toEqual(refusal('invalid_input'));
    const job = await create(id);
    await expect(create(id)).rejects.toEqual(refusal('cron_job_exists'));
    const other = await create(id, { name: 'other' });
    await expect(change(other, { name: 'report' })).rejects.toEqual(refusal('cron_job_exists'));
    for (let count = 2; count < 20; count += 1) await create(id, { name: `job-${count}` });
    await expect(create(id, { name: 'one-more' })).rejects.toEqual(refusal('too_many_cron_jobs'));
    features.clear();
    await new RemoveCronJob(owners, jobs).execute({ ...ofService(id), cron_job_id: job.id });
    await expect(create(id)).rejects.toEqual(refusal('runs_not_supported'));
  });

  it('is deleted with its web service', async () => {
    const { id } = await fixture.runningService(replica);
    const job = await create(id);
    await replica.commands.remove.execute(ofService(id));
    await waitFor(async () => (await jobs.find(id, job.id)) === undefined, { timeoutMs: 20_000 });
    await expect(create(id)).rejects.toBeDefined();
  });
});
