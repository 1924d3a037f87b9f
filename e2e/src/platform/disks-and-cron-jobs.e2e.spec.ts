import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { sharedPlatform } from '../stories.js';
import { webApp } from './repository.js';

const platform = await sharedPlatform();
const { world } = platform;

/** Counts its starts in a file on the disk and responds with the count. */
const COUNTING = `
  import { appendFileSync, readFileSync } from 'node:fs';
  import { createServer } from 'node:http';
  const file = process.env.DISK_PATH + '/starts';
  appendFileSync(file, '.');
  const starts = readFileSync(file, 'utf8').length;
  createServer((request, response) => response.end('start ' + starts)).listen(process.env.PORT);
  process.on('SIGTERM', () => process.exit(0));
`;

describe('a disk', () => {
  it('keeps files across a restart, a stop and a deployment, and has one instance', async () => {
    const service = await platform.service(webApp('one', { 'server.js': COUNTING }));
    const change = (settings: object) => world.callDashboardApi('PATCH', service.path, settings);
    const { status, body } = await change({ disk: { size_mib: 64 } });
    expect([status, body['disk']]).toEqual([200, { size_mib: 64 }]);
    const more = await change({ max_instances: 2 });
    expect([more.status, more.body['error']]).toEqual([400, expect.stringContaining('a web service with a disk')]);
    expect((await change({ disk: { size_mib: 32 } })).status).toBe(400);

    await service.deploy();
    expect(await service.get()).toBe('200 start 1');
    await platform.writer.post(`${service.path}/restart`);
    await service.untilStatus('running');
    expect(await service.get()).toBe('200 start 2');
    await platform.writer.post(`${service.path}/stop`);
    await service.untilStatus('stopped');
    await platform.writer.post(`${service.path}/start`);
    await service.untilStatus('running');
    expect(await service.get()).toBe('200 start 3');
    await service.deploy();
    expect(await service.get()).toBe('200 start 4');
    await service.line(({ message }) => message.includes('its instance ends before the next one starts'));
  }, 240_000);

  it('is backed up while the web service runs, restored with its files of that time, and both are in the audit log', async () => {
    const service = await platform.service(webApp('one', { 'server.js': COUNTING }));
    const path = `${service.path}/disk/backups`;
    const without = await platform.writer.post(path);
    expect([without.status, without.headers.get('error-code')]).toEqual([404, 'disk_not_found']);
    await world.callDashboardApi('PATCH', service.path, { disk: { size_mib: 64 } });
    await service.deploy();
    expect(await service.get()).toBe('200 start 1');

    const requested = await platform.writer.post(path);
    expect([requested.status, requested.body]).toEqual([
      201,
      expect.objectContaining({ status: 'creating', error: null }),
    ]);
    const newest = async () => {
      const { body } = await world.callDashboardApi('GET', path);
      return (body as unknown as readonly Record<string, unknown>[])[0] ?? {};
    };
    const options = { timeoutMs: 60_000, intervalMs: 250 };
    await waitFor(async () => (await newest())['status'] === 'completed', { ...options, describe: 'the backup' });
    expect(await service.get()).toBe('200 start 1');
    await platform.writer.post(`${service.path}/restart`);
    await service.untilStatus('running');
    expect(await service.get()).toBe('200 start 2');

    const restoring = await platform.writer.post(`${path}/${requested.body['id']}/restore`);
    expect([restoring.status, restoring.body['status']]).toEqual([202, 'restoring']);
    const restored = async () => (await newest())['last_restore'] as Record<string, unknown> | null;
    await waitFor(async () => (await restored())?.['status'] === 'completed', { ...options, describe: 'the restore' });
    // The instance has started again with the disk on which one start was recorded.
    await waitFor(async () => (await service.get()) === '200 start 2', {
      ...options,
      describe: 'the restored web service',
    });
    await service.line(({ message }) => message.includes('The disk is restored from a backup'));
    const { items } = (await world.callDashboardApi('GET', '/audit-log')).body as { items: { action: string }[] };
    const actions = items.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['disk_backup.created', 'disk_backup.restored']));
  }, 240_000);
});

describe('a cron job', () => {
  it('runs its command at the scheduled time, and its history shows the run', async () => {
    const service = await platform.service(webApp('one'));
    await service.deploy();
    const path = `${service.path}/cron-jobs`;
    const job = { name: 'report', schedule: '* * * * *', command: 'echo reporting; exit 3' };
    const { status, body } = await world.callDashboardApi('POST', path, job);
    expect([status, body]).toEqual([201, expect.objectContaining({ ...job, overlap: 'skip', last_run: null })]);
    const again = await world.callDashboardApi('POST', path, job);
    expect([again.status, again.headers.get('error-code')]).toEqual([409, 'cron_job_exists']);
    expect((await world.callDashboardApi('POST', path, { ...job, name: 'never', schedule: 'at noon' })).status).toBe(
      400,
    );
    const historyOf = async () => {
      const { body: page } = await world.callDashboardApi('GET', `${path}/${body['id']}/runs`);
      return page['items'] as readonly Record<string, unknown>[];
    };
    const run = await waitFor(async () => (await historyOf()).find(each => each['finished_at'] !== null), {
      timeoutMs: 120_000,
      intervalMs: 500,
      describe: 'the first run',
    });
    expect(run).toMatchObject({ status: 'failed', exit_code: 3, scheduled_for: body['next_run_at'] });
    const { body: shown } = await world.callDashboardApi('GET', `${service.path}/runs/${run['id']}`);
    expect((shown['lines'] as { message: string }[]).map(({ message }) => message)).toEqual(['reporting']);
    const removed = await world.callDashboardApi('DELETE', `${path}/${body['id']}`);
    expect([removed.status, removed.body]).toEqual([200, { id: body['id'], deleted: true }]);
  }, 240_000);
});
