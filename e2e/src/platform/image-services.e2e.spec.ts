import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ImageRegistry, missingForTestImages, type TestImage } from '@postern/testing/image-registry';
import { sharedPlatform } from '../stories.js';
import { type Deployment, Service } from './platform-world.js';
import type { Repository } from './repository.js';

const PASSWORD = 'dckr_pat_story_0123456789';

const platform = await sharedPlatform();

const hasTool = ['buildah', 'podman'].some(tool => {
  try {
    execFileSync(tool, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});
const missing = hasTool && process.getuid?.() === 0 ? missingForTestImages : 'images need Buildah or Podman, and root';
if (missing !== undefined) console.warn(`Image services are not tested: ${missing}`);

type ImageDeployment = Deployment & { readonly image?: string };

/** Answers with the content, on the port that it exposes. */
const web = (content: string): TestImage => ({
  files: { 'srv/index.html': content },
  config: { Cmd: ['sh', '-c', 'exec httpd -f -p 80 -h /srv'], ExposedPorts: { '80/tcp': {} } },
});

const desk = (method: string, service: Service, path: string, body?: unknown) =>
  platform.world.callDashboardApi(method, `/web-services/${service.id}${path}`, body);

(missing === undefined ? describe : describe.skip)('A web service with an image', () => {
  let registry: ImageRegistry;
  beforeAll(async () => {
    registry = await ImageRegistry.start();
  });
  afterAll(() => registry?.stop());

  const create = async (name: string, settings: Record<string, unknown> = {}) => {
    const project_id = await platform.project();
    const image = `${registry.host}/${name}`;
    const { status, body } = await platform.writer.post('/web-services', {
      name: 'image',
      project_id,
      image,
      ...settings,
    });
    expect([status, body['image'], body['git_repository_url']]).toEqual([201, image, null]);
    return new Service(platform.writer, String(body['id']), project_id, undefined as unknown as Repository);
  };
  const deploy = async (service: Service) => (await service.deploy()) as ImageDeployment;

  it('is deployed, deployed again with another tag, and rolled back without its registry', async () => {
    const digest = await registry.push('shop:1', web('one'));
    const service = await create('shop:1');
    const first = await deploy(service);
    expect(first).toMatchObject({ commit: null, branch: null, image: `${registry.host}/shop:1@${digest}` });
    expect(await service.get()).toBe('200 one');
    expect(await service.wholeLog()).toContain(`Pulling ${registry.host}/shop:1@${digest}`);

    const moved = await registry.push('shop:1', web('two'));
    expect(await deploy(service)).toMatchObject({ image: `${registry.host}/shop:1@${moved}` });
    expect(await service.get()).toBe('200 two');

    const next = await registry.push('shop:2', web('three'));
    const changed = await desk('PATCH', service, '', { image: `${registry.host}/shop:2` });
    expect(changed).toMatchObject({ status: 200, body: { image: `${registry.host}/shop:2`, port: null } });
    expect(await deploy(service)).toMatchObject({ image: `${registry.host}/shop:2@${next}` });
    expect(await service.get()).toBe('200 three');

    registry.clear();
    const { body } = await platform.writer.post(`${service.path}/deployments/${first.id}/rollback`);
    expect(await service.outcomeOf(String(body['id']))).toMatchObject({
      status: 'live',
      rollback_of: first.id,
      image: first.image,
    });
    expect(await service.get()).toBe('200 one');
    expect(await service.failure()).toBe(
      `there is no image ${registry.host}/shop:2: check its name and its tag or digest`,
    );
    expect(await service.get()).toBe('200 one');
  });

  it('that is private is deployed with credentials that appear in no response and no log', async () => {
    await registry.push('private:1', web('private'));
    registry.access = { username: 'ada', password: PASSWORD };
    const service = await create('private:1');
    expect(await service.failure()).toContain('if the image is private, store registry credentials');

    const credentials = { username: 'ada', password: PASSWORD };
    const stored = await desk('PUT', service, '/registry-credentials', credentials);
    expect(stored).toMatchObject({ status: 200, body: { username: 'ada', host: registry.host } });
    await service.deploy();
    expect(await service.get()).toBe('200 private');
    const shown = [
      await service.read(),
      await service.logs('?tail=1000'),
      (await desk('GET', service, '/repository-credentials')).body,
      (await platform.world.callDashboardApi('GET', '/audit-log')).body,
    ];
    expect(JSON.stringify(shown)).not.toContain(PASSWORD);
    expect(JSON.stringify(shown)).toContain('registry_credential.set');

    expect((await desk('DELETE', service, '/registry-credentials')).body).toMatchObject({ deleted: true });
    expect(await service.failure()).toContain('store registry credentials');
    registry.access = undefined;
  });
});

describe('The source of a web service', () => {
  it.each([
    [{}, 'git_repository_url'],
    [{ git_repository_url: 'https://git.example.com/shop.git', image: 'nginx', port: 80 }, 'image'],
    [{ git_repository_url: 'https://git.example.com/shop.git' }, 'port'],
    [{ image: 'nginx', branch: 'main' }, 'branch'],
    [{ image: 'nginx', build_command: 'make' }, 'build_command'],
    [{ image: 'https://ghcr.io/ada/shop' }, 'image'],
    [{ image: 'ghcr.io/Ada/shop' }, 'image'],
  ])('cannot be %j: the error names %s', async (settings, field) => {
    const project_id = await platform.project();
    const { status, body } = await platform.writer.post('/web-services', { name: 'refused', project_id, ...settings });
    expect([status, String(body['detail'])]).toEqual([400, expect.stringContaining(field)]);
  });
});
