import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  changeWebService,
  createDeployment,
  deleteRegistryCredentials,
  getDeployment,
  getRepositoryCredentials,
  getWebService,
  setRegistryCredentials,
} from '@postern/contracts';
import { callerOf } from '../../testing/caller.js';
import { IMAGE_DIGEST } from '../../testing/fake-runtime.js';
import { type Owner, ServedWebServices } from '../../testing/served-web-services.js';

let fixture: ServedWebServices;
let owner: Owner;

beforeAll(async () => {
  fixture = await ServedWebServices.start();
}, 120_000);
afterAll(() => fixture?.stop());
beforeEach(async () => {
  owner = await fixture.owner();
});

const request: ServedWebServices['client']['request'] = (contract, body) => fixture.client.request(contract, body);
const refusal = (code: string, message: string) => ({ code, message: expect.stringContaining(message) });

describe('a web service', () => {
  it('keeps its root directory and its watch paths, which null removes', async () => {
    const { id } = await fixture.create(owner, { root_directory: './apps/web/', watch_paths: ['apps/web'] });
    const of = { ...callerOf(owner), web_service_id: id };
    expect(await request(getWebService, of)).toMatchObject({ root_directory: 'apps/web', watch_paths: ['apps/web'] });
    await request(createDeployment, of);
    await fixture.until(() => request(getWebService, of), 'running');
    expect(fixture.machine.orders.at(-1)).toMatchObject({ rootDirectory: 'apps/web' });
    const changed = await request(changeWebService, { ...of, root_directory: '.', watch_paths: null });
    expect(changed).toMatchObject({ root_directory: null, watch_paths: [] });
  });

  it('passes how its Dockerfile is built to the runtime, if that supports it', async () => {
    const settings = {
      dockerfile_path: './docker/web.Dockerfile',
      docker_target: 'production',
      build_args: { node_version: '24', apiUrl: `https://\${HOST}` },
    };
    for (const [name, value] of Object.entries(settings))
      await expect(fixture.create(owner, { [name]: value })).rejects.toMatchObject(
        refusal('invalid_input', `${name}: this installation does not support it`),
      );
    fixture.machine.features.add('dockerfileOptions');
    const { id, ...created } = await fixture.create(owner, settings);
    expect(created).toMatchObject({ ...settings, dockerfile_path: 'docker/web.Dockerfile' });
    const of = { ...callerOf(owner), web_service_id: id };
    await request(createDeployment, of);
    await fixture.until(() => request(getWebService, of), 'running');
    expect(fixture.machine.orders.at(-1)).toMatchObject({
      dockerfile: { path: 'docker/web.Dockerfile', target: 'production', buildArguments: settings.build_args },
    });
    const without = { dockerfile_path: null, docker_target: null, build_args: {} };
    expect(await request(changeWebService, { ...of, ...without, build_args: null })).toMatchObject(without);
  });

  it('passes its health check and its first-byte limit to the runtime, if that supports them', async () => {
    const settings = { health_check: { host: 'shop.example.com', grace_seconds: 60 }, first_byte_timeout_seconds: 90 };
    await expect(fixture.create(owner, settings)).rejects.toMatchObject(
      refusal('invalid_input', 'health_check: this installation does not support it'),
    );
    fixture.machine.features.add('healthCheck').add('firstByteTimeout');
    const { id, ...created } = await fixture.create(owner, settings);
    expect(created).toMatchObject(settings);
    const of = { ...callerOf(owner), web_service_id: id };
    await request(createDeployment, of);
    await fixture.until(() => request(getWebService, of), 'running');
    expect(fixture.machine.rolls.at(-1)).toMatchObject({
      healthCheck: { host: 'shop.example.com', graceSeconds: 60 },
      firstByteSeconds: 90,
    });
    const reset = { ...of, health_check: null, first_byte_timeout_seconds: null };
    expect(await request(changeWebService, reset)).toMatchObject({
      health_check: null,
      first_byte_timeout_seconds: null,
    });
  });

  it('passes targets for its instances to the runtime at once, if that supports them', async () => {
    const autoscaling = { memory_percent: 80, idle_minutes: 15 };
    const unsupported = { autoscaling: { memory_percent: 80 } };
    await expect(fixture.create(owner, unsupported)).rejects.toMatchObject(
      refusal('invalid_input', 'autoscaling: this installation does not support it'),
    );
    fixture.machine.features.add('autoscaling');
    await expect(fixture.create(owner, { autoscaling })).rejects.toMatchObject(
      refusal('invalid_input', 'autoscaling.idle_minutes: this installation does not count requests'),
    );
    fixture.machine.features.add('requestScaling');
    const { id, ...created } = await fixture.create(owner, { autoscaling });
    expect(created).toMatchObject({ autoscaling });
    const of = { ...callerOf(owner), web_service_id: id };
    await request(createDeployment, of);
    await fixture.until(() => request(getWebService, of), 'running');
    expect(fixture.machine.rolls.at(-1)).toMatchObject({ autoscaling: { memoryPercent: 80, idleMinutes: 15 } });
    expect(await request(changeWebService, { ...of, autoscaling: null })).toMatchObject({ autoscaling: null });
  });

  it('deploys an image with the credentials of its registry, if the runtime supports images', async () => {
    const source = { image: 'registry.example.com:5000/shop:1', git_repository_url: null, port: null };
    await expect(fixture.create(owner, source)).rejects.toMatchObject(
      refusal('invalid_input', 'image: this installation does not run images of a registry'),
    );
    fixture.machine.features.add('images');
    const { id, ...created } = await fixture.create(owner, source);
    expect(created).toMatchObject(source);
    const of = { ...callerOf(owner), web_service_id: id };
    const login = { username: 'ada', password: 'secret of the registry' };
    const host = 'registry.example.com:5000';
    expect(await request(setRegistryCredentials, { ...of, ...login })).toEqual({ username: 'ada', host });
    const { registry } = await request(getRepositoryCredentials, of);
    expect(registry).toEqual({ username: 'ada', host, created_at: expect.any(String) });

    const { id: deployment_id } = await request(createDeployment, of);
    await fixture.until(() => request(getWebService, of), 'running');
    expect(fixture.machine.orders.at(-1)).toMatchObject({
      repositoryUrl: 'docker://registry.example.com:5000/shop:1',
      commit: IMAGE_DIGEST,
      credentials: { https: { username: 'ada', token: login.password } },
    });
    expect(fixture.machine.rolls.at(-1)).toMatchObject({ port: 8080 });
    expect(await request(getDeployment, { ...of, deployment_id })).toMatchObject({
      commit: null,
      branch: null,
      image: `${source.image}@${IMAGE_DIGEST}`,
    });

    expect(await request(deleteRegistryCredentials, of)).toMatchObject({ deleted: true });
    await expect(request(deleteRegistryCredentials, of)).rejects.toMatchObject({
      code: 'registry_credentials_not_found',
    });
    const repository = { git_repository_url: 'https://example.com/web.git', port: 3000 };
    expect(await request(changeWebService, { ...of, ...repository })).toMatchObject({ ...repository, image: null });
    await expect(request(setRegistryCredentials, { ...of, ...login })).rejects.toMatchObject(
      refusal('invalid_input', 'the web service has no image'),
    );
  });
});
