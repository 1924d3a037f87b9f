import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  cancelDeployment,
  createDeployment,
  followLogs,
  getDeployment,
  getLogs,
  getWebService,
  listDeployments,
  listWebServices,
  moderateWebService,
  restartWebService,
  rollBackDeployment,
  setProjectSecret,
  setVariable,
  startWebService,
  stopWebService,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { callerOf, newCaller } from '../../testing/caller.js';
import { Latch } from '../../testing/latch.js';
import { type Owner, ServedWebServices } from '../../testing/served-web-services.js';

let fixture: ServedWebServices;
let owner: Owner;

beforeAll(async () => {
  fixture = await ServedWebServices.start();
}, 120_000);
afterAll(() => fixture?.stop());
beforeEach(async () => {
  fixture.machine.script.build = () => {};
  owner = await fixture.owner();
});

const request: ServedWebServices['client']['request'] = (contract, body) => fixture.client.request(contract, body);
const refusal = (code: string, message = '') => ({ code, message: expect.stringContaining(message) });

const deployed = async () => {
  const of = await fixture.newService(owner);
  const deployment = await request(createDeployment, of);
  const deployment_id = deployment.id;
  await fixture.until(() => request(getDeployment, { ...of, deployment_id }), 'live');
  return { of, deployment_id };
};

describe('a web service', () => {
  it('is returned with all its fields and a URL from its creation', async () => {
    const created = await fixture.create(owner, { build_command: 'npm run build', max_instances: 3 });
    expect(created).toEqual({
      id: expect.any(String),
      project_id: owner.project_id,
      name: 'web',
      git_repository_url: 'https://example.com/web.git',
      branch: null,
      build_command: 'npm run build',
      start_command: null,
      health_check_path: null,
      port: 3000,
      min_instances: 1,
      max_instances: 3,
      environment: 'production',
      release_command: null,
      instance: null,
      disk: null,
      drain_seconds: null,
      processes: {},
      auto_deploy: true,
      root_directory: null,
      dockerfile_path: null,
      docker_target: null,
      build_args: {},
      autoscaling: null,
      watch_paths: [],
      health_check: null,
      image: null,
      first_byte_timeout_seconds: null,
      previews: false,
      preview_of: null,
      pull_request: null,
      pull_request_url: null,
      commit_status_error: null,
      status: 'created',
      status_reason: null,
      url: `http://127.0.0.1/${created.id}`,
      blocked: false,
      suspended: false,
      flag_reason: null,
      created_at: expect.any(String),
    });
    const of = { ...callerOf(owner), web_service_id: created.id };
    expect(await request(getWebService, of)).toEqual(created);
    const second = await fixture.create(owner);
    expect(await request(listWebServices, owner)).toEqual([created, second]);
  });

  it('is refused for another user’s project, and for an invalid repository, branch or range', async () => {
    const stranger = await fixture.owner();
    await expect(fixture.create({ ...owner, project_id: stranger.project_id })).rejects.toMatchObject(
      refusal('project_not_found'),
    );
    const invalid = (message: string) => refusal('invalid_input', message);
    await expect(fixture.create(owner, { git_repository_url: 'ext::sh -c id' })).rejects.toMatchObject(
      invalid('git_repository_url: '),
    );
    await expect(fixture.create(owner, { git_repository_url: 'file:///srv/web.git' })).rejects.toMatchObject(
      invalid('git_repository_url: file:// is not allowed here'),
    );
    await expect(fixture.create(owner, { branch: '--upload-pack=x' })).rejects.toMatchObject(invalid('branch: '));
    await expect(fixture.create(owner, { min_instances: 3, max_instances: 2 })).rejects.toMatchObject(
      invalid('max_instances: '),
    );
  });

  it('does not exist for other users, in any request', async () => {
    const { of, deployment_id } = await deployed();
    const stranger = { ...of, ...newCaller() };
    const nothing = refusal('web_service_not_found');
    for (const contract of [
      getWebService,
      startWebService,
      restartWebService,
      stopWebService,
      getLogs,
      listDeployments,
      createDeployment,
    ] as const) {
      await expect(request<typeof getWebService>(contract as typeof getWebService, stranger)).rejects.toMatchObject(
        nothing,
      );
    }
    for (const contract of [getDeployment, rollBackDeployment, cancelDeployment] as const) {
      await expect(
        request<typeof getDeployment>(contract as typeof getDeployment, { ...stranger, deployment_id }),
      ).rejects.toMatchObject(nothing);
    }
    expect(await request(listWebServices, stranger)).toEqual([]);
  });

  it('starts, restarts and stops, over both replicas', async () => {
    const { of } = await deployed();
    const service = () => request(getWebService, of);
    await fixture.until(service, 'running');
    expect(await request(stopWebService, of)).toEqual({ id: of.web_service_id, status: 'stopping' });
    await fixture.until(service, 'stopped');
    expect(await request(startWebService, of)).toEqual({ id: of.web_service_id, status: 'starting' });
    await fixture.until(service, 'running');
    expect(await request(restartWebService, of)).toEqual({ id: of.web_service_id, status: 'restarting' });
    await fixture.until(service, 'running');
  });
});

describe('deployments', () => {
  it('are listed newest first, page by page', async () => {
    const { of, deployment_id: first } = await deployed();
    const { id: second } = await request(createDeployment, of);
    await fixture.until(() => request(getDeployment, { ...of, deployment_id: second }), 'live');
    const page = await request(listDeployments, { ...of, limit: 1, offset: 1 });
    expect(page).toMatchObject({ total: 2, limit: 1, offset: 1, items: [{ id: first, status: 'superseded' }] });
    const all = await request(listDeployments, { ...of });
    expect(all.items.map(({ id }) => id)).toEqual([second, first]);
    expect(all.items[0]).toEqual({
      id: second,
      web_service_id: of.web_service_id,
      branch: 'main',
      commit: 'a'.repeat(40),
      commit_message: 'Fix the cart',
      commit_author: 'Ada',
      status: 'live',
      error: null,
      created_at: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
      stages: ['queue', 'source', 'build', 'release'].map(name => ({
        name,
        started_at: expect.any(String),
        finished_at: expect.any(String),
      })),
      rollback_of: null,
    });
  });

  it('are returned while queued, and cancelled on request', async () => {
    const build = new Latch();
    fixture.machine.script.build = build.wait;
    const of = await fixture.newService(owner);
    const queued = await request(createDeployment, { ...of, branch: 'main' });
    // The worker may take the deployment before the reply is read.
    expect(['queued', 'building']).toContain(queued.status);
    const isQueued = queued.status === 'queued';
    expect(queued).toMatchObject({ commit: null, finished_at: null, branch: 'main' });
    expect(queued.started_at === null).toBe(isQueued);
    await build.reached;
    const one = { ...of, deployment_id: queued.id };
    await request(cancelDeployment, one);
    await fixture.until(() => request(getDeployment, one), 'cancelled');
    await expect(request(cancelDeployment, one)).rejects.toMatchObject(refusal('deployment_over'));
    await expect(request(rollBackDeployment, one)).rejects.toMatchObject(refusal('deployment_never_live'));
    build.open();
  });

  it('use variables and project secrets, and their rollbacks use those of the earlier deployment', async () => {
    const of = await fixture.newService(owner);
    const id = of.web_service_id;
    const secret = { key: 'TOKEN', value: 'hush-hush-hush', scope: 'production' as const };
    await request(setProjectSecret, { ...owner, ...secret });
    await request(setVariable, { ...of, key: 'COLOUR', value: 'red' });
    const first = await request(createDeployment, of);
    await fixture.until(() => request(getDeployment, { ...of, deployment_id: first.id }), 'live');
    expect(fixture.machine.serving(id)?.environment).toMatchObject({ COLOUR: 'red', TOKEN: 'hush-hush-hush' });

    await request(setVariable, { ...of, key: 'COLOUR', value: 'blue' });
    const second = await request(createDeployment, of);
    await fixture.until(() => request(getDeployment, { ...of, deployment_id: second.id }), 'live');
    const back = await request(rollBackDeployment, { ...of, deployment_id: first.id });
    expect(back).toMatchObject({ rollback_of: first.id });
    await fixture.until(() => request(getDeployment, { ...of, deployment_id: back.id }), 'live');
    expect(fixture.machine.serving(id)?.environment).toMatchObject({ COLOUR: 'red' });

    const { rows } = await fixture.pool.query('SELECT data::text AS data FROM event_store.events');
    expect(JSON.stringify(rows)).not.toContain('hush-hush-hush');
    const { lines } = await request(getLogs, { ...of, tail: 10_000 });
    expect(lines).toContainEqual(expect.objectContaining({ stream: 'build', instance: 'build' }));
    expect(lines).toContainEqual(
      expect.objectContaining({ stream: 'platform', message: expect.stringContaining('is live') }),
    );
    expect(JSON.stringify(lines)).not.toContain('hush-hush-hush');
    expect((await request(getLogs, { ...of, tail: 1 })).lines).toEqual(lines.slice(-1));
    expect((await request(getLogs, { ...of, since: 4_000_000_000 })).lines).toEqual([]);
    const part = { tail: 1_000, max_lines: 2, max_bytes: 100_000 };
    const page = await request(followLogs, { ...of, ...part });
    const rest = await request(followLogs, { ...of, ...part, after: page.next, max_lines: 1_000 });
    expect([page.has_more, rest.has_more]).toEqual([true, false]);
    expect([...page.lines, ...rest.lines].map(({ id: _, ...line }) => line)).toEqual(lines);
    const stranger = { ...of, ...part, ...newCaller() };
    await expect(request(followLogs, stranger)).rejects.toMatchObject(refusal('web_service_not_found'));
  });
});

describe('moderation', () => {
  it('is for operators only, and returns the web service with its flag and reason', async () => {
    const { of } = await deployed();
    const actor_id = await fixture.operator();
    const { web_service_id } = of;
    const block = { actor_id, web_service_id, action: 'block' as const };
    await expect(request(moderateWebService, { ...block, actor_id: owner.user_id, reason: 'x' })).rejects.toMatchObject(
      refusal('not_an_operator'),
    );
    await expect(request(moderateWebService, block)).rejects.toMatchObject(refusal('invalid_input', 'reason: '));
    expect(await request(moderateWebService, { ...block, reason: 'phishing' })).toMatchObject({
      blocked: true,
      suspended: false,
      flag_reason: 'phishing',
    });
    await fixture.until(() => request(getWebService, of), 'stopped');
    await expect(request(startWebService, of)).rejects.toMatchObject(refusal('service_blocked', 'phishing'));
    expect(await request(moderateWebService, { ...block, action: 'unblock' })).toMatchObject({
      blocked: false,
      flag_reason: null,
    });
    await expect(
      request(moderateWebService, { ...block, web_service_id: uuidv7(), reason: 'x' }),
    ).rejects.toMatchObject(refusal('web_service_not_found'));
  });
});
