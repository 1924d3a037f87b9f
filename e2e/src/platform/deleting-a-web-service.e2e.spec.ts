import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, waitFor } from '@postern/testing';
import { startGitHttpServer } from '@postern/testing/git-servers';
import { operationsOf } from '../access/operations.js';
import { bodyOf, queryOf } from '../access/samples.js';
import { ownPlatform } from '../stories.js';
import { controlGroupNamesOf, type MachineState, machineState } from './machine-state.js';
import type { Service } from './platform-world.js';
import { processesWith } from './processes.js';
import { webApp } from './repository.js';
import { StoredRows } from './stored-rows.js';

const WITHIN_MS = 60_000;
const ACCESS = { username: 'oauth2', password: 'glpat-story_0123456789' };
/** Shared folders that the first web service or database creates; their contents are compared. */
const SHARED =
  /^(artefacts|boxes\/names\/private-addresses\.json|builds|cache|commands|databases(\/(ports|authority(\/ca\.\w+)?))?|disks|git-settings|instances|load-balancer\/\w+\.json|runtime-owner|users(\/\w+){0,2})$/;

const platform = await ownPlatform();
const { world } = platform;
const mark = `story-${randomUUID()}`;
const home = world.postern.home.folder;
const desk = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const answer = await world.callDashboardApi(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

/** The empty root directories of sandboxes: one for all web services, and one for all databases, which the first database creates. */
const FRAME = /^boxes\/frames\/(\w+)(\/|$)/;
const framesOf = ({ paths }: MachineState) => new Set(paths.flatMap(path => FRAME.exec(path)?.[1] ?? []));

/** Removes control groups of other Postern installations on the machine. */
const comparable = (state: MachineState, groups: readonly string[]) => ({
  ...state,
  paths: state.paths.filter(path => !SHARED.test(path) && !FRAME.test(path)),
  controlGroups: state.controlGroups.filter(path => groups.some(name => path.includes(name))),
});

describe('a web service with all its resources that is deleted with its project and database', () => {
  let before: MachineState;
  let during: MachineState;
  let sealedBefore: readonly string[];
  let rows: StoredRows;
  let service: Service;
  let databaseId: string;
  let hookUrl: string;
  let url: string;
  /** The prefixes of the control group names of this Postern. */
  let groups: readonly string[];
  const stops: (() => Promise<unknown>)[] = [];

  const createDatabase = async () => {
    const made = await desk('POST', '/databases', { name: 'orders', kind: 'relational', plan: 'starter' });
    databaseId = String(made['id']);
  };

  const createService = async () => {
    const worker = `setInterval(() => {}, 1_000); console.log('a worker is here');`;
    service = await platform.service(
      webApp('one', { Procfile: `worker: node worker.js ${mark}\n`, 'worker.js': worker }),
    );
    const server = await startGitHttpServer(service.repository.folder, { access: ACCESS });
    stops.push(() => server.stop());
    await desk('PATCH', service.path, {
      git_repository_url: `${server.url}/.git`,
      start_command: `exec node server.js ${mark}`,
      processes: { worker: 1 },
      disk: { size_mib: 16 },
    });
    await desk('PUT', `${service.path}/git-token`, { username: ACCESS.username, token: ACCESS.password });
    await desk('POST', `${service.path}/deploy-key`, {});
    hookUrl = String((await desk('POST', `${service.path}/deploy-hook`, {}))['url']);
    await desk('POST', `${service.path}/env`, { key: 'MARK', value: mark, is_secret: true });
    const secret = { key: 'SHARED', value: mark, scope: 'production', is_secret: true };
    await desk('POST', `/projects/${service.projectId}/secrets`, secret);
    await service.deploy();
    url = await service.url();
  };

  const addRelatedResources = async () => {
    const domain = await desk('POST', `${service.path}/domains`, { domain: 'shop.example.com' });
    const { name, value } = domain['txt'] as { name: string; value: string };
    await world.postern.dns.setText(name, value);
    expect(await desk('POST', `${service.path}/domains/${domain['id']}/verify`)).toMatchObject({ status: 'verified' });
    const job = { name: 'report', schedule: '* * * * *', command: `echo ${mark}; sleep 600` };
    await desk('POST', `${service.path}/cron-jobs`, job);
    await waitFor(async () => (await desk('GET', `/databases/${databaseId}`))['status'] === 'running', {
      timeoutMs: 90_000,
    });
    await desk('POST', `/databases/${databaseId}/attachments`, { web_service_id: service.id });
    await desk('PATCH', service.path, { start_command: `exec node server.js changed ${mark}` });
    await desk('POST', `${service.path}/restart`);
    await service.untilStatus('running');
    await desk('POST', `${service.path}/runs`, { command: `sleep 600; echo ${mark} one-off` });
  };

  beforeAll(async () => {
    rows = await StoredRows.open(world.postern.wiring.databaseUrl('platform-management'));
    stops.push(() => rows.close());
    sealedBefore = await rows.sealedValues();
    before = machineState(home, mark);
    await createDatabase();
    await createService();
    await addRelatedResources();
    for (const part of ['one-off', 'worker.js', 'server.js changed'])
      await waitFor(() => processesWith(mark).some(({ command }) => command.includes(part)), {
        timeoutMs: 30_000,
        describe: `a process of ${part}`,
      });
    groups = [
      ...processesWith(mark)
        .flatMap(({ pid }) => controlGroupNamesOf(pid))
        .map(name => name.split('-')[0] as string),
      databaseId,
    ];
    during = machineState(home, mark);
    await desk('DELETE', service.path);
    await desk('DELETE', `/projects/${service.projectId}`);
    await desk('DELETE', `/databases/${databaseId}`);
  }, 240_000);

  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  it('had its own processes, ports, files and control groups', () => {
    const [was, is] = [comparable(before, groups), comparable(during, groups)];
    for (const part of ['paths', 'processes', 'ports'] as const)
      expect(is[part].length).toBeGreaterThan(was[part].length);
    if (groups.length > 1) expect(is.controlGroups.length).toBeGreaterThan(was.controlGroups.length);
  });

  it('leaves paths, processes, ports and control groups as before', async () => {
    await eventually(() => expect(comparable(machineState(home, mark), groups)).toEqual(comparable(before, groups)), {
      timeoutMs: WITHIN_MS,
      intervalMs: 500,
    });
    expect(framesOf(machineState(home, mark)).size).toBeLessThanOrEqual(framesOf(before).size + 1);
    await expect(fetch(url)).rejects.toThrow();
  }, 90_000);

  it('leaves no row with its id, and no encrypted value', async () => {
    await eventually(
      async () => {
        expect(await rows.naming([service.id, service.projectId, databaseId])).toEqual({});
        expect(await rows.sealedValues()).toEqual(sealedBefore);
      },
      { timeoutMs: WITHIN_MS, intervalMs: 500 },
    );
  }, 90_000);

  it('gets 404 from every route', async () => {
    const ids = { web_service_id: service.id, project_id: service.projectId, database_id: databaseId };
    const operations = (await operationsOf(world.postern.baseUrl)).filter(({ pathParameters }) =>
      pathParameters.some(name => name in ids),
    );
    expect(operations.length).toBeGreaterThan(60);
    const answers = await Promise.all(
      operations.map(async operation => {
        const path = Object.entries(ids).reduce((text, [name, id]) => text.replace(`{${name}}`, id), operation.path);
        const token = operation.access === 'platform-key' ? platform.writer.key : world.token;
        const { status } = await world.call(
          operation.method,
          path.replace(/\{\w+\}/g, randomUUID()) + queryOf(operation, {}),
          { headers: { authorization: `Bearer ${token}` }, body: bodyOf(operation, {}) },
        );
        return `${operation.method} ${operation.path}: ${status}`;
      }),
    );
    // A shell is a WebSocket, which these requests do not ask for.
    const expected = [' 404', '/shell: 426'];
    expect(answers.filter(answer => !expected.some(end => answer.endsWith(end)))).toEqual([]);
    expect((await fetch(hookUrl, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await world.call('GET', '/tls/ask?domain=shop.example.com')).status).toBe(404);
  }, 60_000);
});
