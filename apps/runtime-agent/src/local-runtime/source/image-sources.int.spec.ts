import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OutboundGuard } from '@postern/outbound';
import type { ServicePlan } from '@postern/runtime';
import { buildOrderOf, never, servicePlanOf } from '@postern/runtime/testing';
import { freePort } from '@postern/testing';
import { ARCHITECTURE, ImageRegistry, missingForTestImages, type TestImage } from '@postern/testing/image-registry';
import { missingForImages } from '../build/dockerfile/testing/image-builds.js';
import { BuildsFixture, silence } from '../build/testing/builds-fixture.js';
import { LocalHarness } from '../testing/local-harness.js';

/** Several sequential pulls on a busy host. */
jest.setTimeout(90_000);

const LOGIN = { username: 'ada', token: 'dckr_pat_0123456789' };
const ACCESS = { username: LOGIN.username, password: LOGIN.token };

const missing = missingForImages() ?? missingForTestImages;
if (missing !== undefined) console.warn(`Images of registries are not tested: ${missing}`);

/** Serves /srv and the output of /srv/cgi-bin/run. */
const shopOf = (content: string, config: TestImage['config'] = {}): TestImage => ({
  files: {
    'srv/index.html': content,
    'srv/cgi-bin/run': "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\n'; exec 2>&1\nenv; pwd; id -u; ls /\n",
  },
  config: { Cmd: ['sh', '-c', 'exec httpd -f -p $PORT -h /srv'], ...config },
});

(missing === undefined ? describe : describe.skip)('An image of a registry', () => {
  let harness: LocalHarness;
  let registry: ImageRegistry;
  beforeAll(async () => {
    harness = await LocalHarness.start();
    registry = await ImageRegistry.start();
  }, 60_000);
  afterAll(async () => {
    await registry?.stop();
    await harness?.stop();
  }, 60_000);
  afterEach(() => {
    registry.access = undefined;
    registry.redirectsBlobs = true;
  });

  const addressOf = (name: string) => `docker://${registry.host}/${name}`;
  const resolve = (name: string, credentials = {}) =>
    harness.runtime.resolveSource({ repositoryUrl: addressOf(name), branch: undefined, credentials }, never);
  const pull = async (name: string, changes = {}) => {
    const { commit } = await resolve(name, (changes as { credentials?: object }).credentials);
    const order = buildOrderOf({ repositoryUrl: addressOf(name), commit }, { deadlineMs: 120_000, ...changes });
    const output = harness.runtime.logWriter(order.webServiceId, 'build', order.secrets);
    try {
      return { order, artefact: await harness.runtime.build(order, output, never) };
    } finally {
      await output.close();
    }
  };
  const serve = async (name: string, changes = {}, planned: Partial<ServicePlan> = {}) => {
    const { order, artefact } = await pull(name, changes);
    const { webServiceId, startCommand } = order;
    const plan = servicePlanOf(artefact, { webServiceId, startCommand, ...planned });
    await harness.runtime.roll(plan, never);
    const url = await harness.runtime.urlOf(webServiceId, plan.name);
    return { order, plan, get: async (path = '/') => (await harness.request(new URL(path, url).href)).body };
  };
  const failure = (name: string, changes = {}) =>
    pull(name, changes).then(
      () => 'it was pulled',
      (error: Error) => error.message,
    );
  const logOf = async (webServiceId: string) =>
    (await harness.runtime.logs(webServiceId, { tail: 100, since: undefined })).map(({ message }) => message);

  it('runs with its command, variables and working directory, and the log names its digest', async () => {
    const config = { Env: ['GREETING=hello', 'COLOUR=red'], WorkingDir: '/srv', User: 'nobody' };
    const digest = await registry.push('shop:1', shopOf('one', config));
    const { order, get } = await serve('shop:1', {}, { environment: { COLOUR: 'blue' } });
    expect(order.commit).toBe(digest);
    expect(await get()).toBe('one');
    const seen = (await get('/cgi-bin/run')).split('\n');
    expect(seen).toEqual(expect.arrayContaining(['GREETING=hello', 'COLOUR=blue', '/srv/cgi-bin']));
    expect(seen).not.toContain('0');
    expect(await logOf(order.webServiceId)).toEqual([
      `Pulling ${registry.host}/shop:1@${digest}`,
      expect.stringMatching(new RegExp(`^linux/${ARCHITECTURE}, 1 layers, \\d+ MiB$`)),
      'Instances do not run as the user nobody of the image but as one of the web service, because web services share no user',
      'Starts by: sh -c exec httpd -f -p $PORT -h /srv',
    ]);
  });

  it('runs with its entrypoint, or by the start command of the web service', async () => {
    await registry.push(
      'entry:1',
      shopOf('entered', { Entrypoint: ['sh', '-c'], Cmd: ['exec httpd -f -p $PORT -h /srv'] }),
    );
    expect(await (await serve('entry:1')).get()).toBe('entered');
    await registry.push('none:1', shopOf('started', { Cmd: null }));
    const startCommand = 'exec httpd -f -p $PORT -h /srv';
    expect(await (await serve('none:1', { startCommand })).get()).toBe('started');
    expect(await failure('none:1')).toBe('no start command: set one, or add a CMD to the Dockerfile');
  });

  it('tells the lowest TCP port that it exposes', async () => {
    const ports = { '8443/tcp': {}, '53/udp': {}, '8080': {}, '99999/tcp': {} };
    await registry.push('ports:1', shopOf('x', { ExposedPorts: ports }));
    const { artefact, order } = await pull('ports:1');
    expect(artefact.port).toBe(8080);
    // A repeated order returns the finished build.
    expect(await harness.runtime.build(order, silence, never)).toEqual(artefact);
    await registry.push('ports:2', shopOf('x'));
    expect((await pull('ports:2')).artefact.port).toBeUndefined();
  });

  it('is chosen from an index by the platform of this machine', async () => {
    const digest = await registry.pushIndex('many:1', [
      { ...shopOf('other'), architecture: 's390x' },
      shopOf('of this machine'),
    ]);
    const { order, get } = await serve('many:1');
    expect(order.commit).toBe(digest);
    expect(await get()).toBe('of this machine');
  });

  it('is pulled by its digest after its tag has moved', async () => {
    const digest = await registry.push('moved:1', shopOf('first'));
    await registry.push('moved:1', shopOf('second'));
    expect(await (await serve(`moved@${digest}`)).get()).toBe('first');
    expect(await (await serve('moved:1')).get()).toBe('second');
  });

  it('is not needed any more once it was pulled', async () => {
    await registry.push('gone:1', shopOf('kept'));
    const { plan, get } = await serve('gone:1');
    registry.clear();
    await harness.runtime.roll({ ...plan, rollId: `${plan.rollId}-again` }, never);
    expect(await get()).toBe('kept');
  });

  it('without its ONBUILD steps, which are for images that are built from it', async () => {
    await registry.push('base:1', shopOf('x', { OnBuild: ['RUN echo hi > /srv/index.html'] }));
    expect(await (await serve('base:1')).get()).toBe('x');
  });

  it('that is private is pulled with credentials, which no log shows and no other server gets', async () => {
    await registry.push('private:1', shopOf('private'));
    registry.access = ACCESS;
    expect(await failure('private:1')).toBe(
      `the registry ${registry.host} does not allow to pull private (401): check the name; if the image is private, store registry credentials for the web service`,
    );
    const wrong = { https: { username: 'ada', token: 'another-password' } };
    expect(await failure('private:1', { credentials: wrong })).toBe(
      `the registry ${registry.host} does not allow ada to pull private (401): check the name of the image, and store valid registry credentials`,
    );
    const { order, get } = await serve('private:1', { credentials: { https: LOGIN } });
    expect(await get()).toBe('private');
    expect((await logOf(order.webServiceId)).join('\n')).not.toContain(LOGIN.token);
    registry.redirectsBlobs = false;
    expect(await (await serve('private:1', { credentials: { https: LOGIN } })).get()).toBe('private');
  });

  describe('fails with an error that names', () => {
    it('an image that does not exist', async () => {
      const unknown = `${registry.host}/nothing:1`;
      expect(await failure('nothing:1')).toBe(`there is no image ${unknown}: check its name and its tag or digest`);
    });

    it.each([
      ['an index', (images: TestImage[]) => registry.pushIndex('other:1', images)],
      ['one image', ([image]: TestImage[]) => registry.push('other:1', image)],
    ])('the platforms of %s for other machines', async (_, push) => {
      await push([{ ...shopOf('x'), architecture: 's390x' }]);
      expect(await failure('other:1')).toBe(
        `the image is only for linux/s390x, and this machine is linux/${ARCHITECTURE}: publish it for linux/${ARCHITECTURE}, such as with docker build --platform linux/${ARCHITECTURE}`,
      );
    });

    it('the size of an image that is too large, before it is downloaded', async () => {
      const digest = `sha256:${'0'.repeat(64)}`;
      const [config, layer] = [
        { digest, size: 2 },
        { digest, size: 3 * 2 ** 30 },
      ];
      registry.pushManifest('large:1', 'application/vnd.oci.image.manifest.v1+json', { config, layers: [layer] });
      const before = registry.requests.length;
      expect(await failure('large:1')).toMatch(/^the image is too large: its layers have 3072 MiB, and 1024 MiB are/);
      expect(registry.requests.slice(before).filter(url => url.includes('/blobs/'))).toEqual([]);
    });

    it('content of another digest', async () => {
      await registry.push('damaged:1', shopOf('x'));
      registry.damageBlobs();
      expect(await failure('damaged:1')).toMatch(/sent other content than sha256:/);
    });

    it('what is no image', async () => {
      registry.pushManifest('chart:1', 'application/json', { schemaVersion: 2 });
      expect(await failure('chart:1')).toMatch(/^this is not a container image/);
    });
  });

  it('that is unpacked to more than a build may write is refused', async () => {
    const fixture = await BuildsFixture.start({
      guard: new OutboundGuard({ allowPrivate: true }),
      limits: { diskBytes: 64 * 2 ** 20, watchMs: 50 },
    });
    try {
      await registry.push('bomb:1', { files: { zeros: '\0'.repeat(100 * 2 ** 20) } });
      const { commit } = await fixture.resolve(addressOf('bomb:1'));
      const order = buildOrderOf({ repositoryUrl: addressOf('bomb:1'), commit }, { deadlineMs: 60_000 });
      await expect(fixture.builds.build(order, silence, never)).rejects.toThrow(/wrote more than 64 MiB|disk is full/);
      expect(await fixture.leftovers()).toEqual([]);
    } finally {
      await fixture.stop();
    }
  });
});

describe('The registry of a tenant', () => {
  const refusalOf = async (reference: string, allowPrivate: boolean) => {
    const fixture = await BuildsFixture.start({ guard: new OutboundGuard({ allowPrivate }) });
    try {
      return await fixture.resolve(`docker://${reference}`).then(
        () => 'it was resolved',
        (error: Error) => error.message,
      );
    } finally {
      await fixture.stop();
    }
  };

  it('is not requested at a private address, and the error does not tell whether something is there', async () => {
    const registry = await ImageRegistry.start();
    await registry.push('shop:1').catch(() => {});
    const { host } = registry;
    for (const at of [
      host,
      host.replace('127.0.0.1', 'localhost'),
      host.replace('127.0.0.1', '127.1'),
      '10.0.0.1',
      '[::1]:5000',
      '169.254.169.254',
    ])
      expect(await refusalOf(`${at}/shop:1`, false)).toBe(
        `the registry ${at} could not be reached: check its name, and that it can be reached over the internet with HTTPS`,
      );
    expect(registry.requests).toEqual([]);
    await registry.stop();
  });

  it('that cannot be reached is named with the reason, if private addresses are allowed', async () => {
    const host = `127.0.0.1:${await freePort()}`;
    expect(await refusalOf(`${host}/shop:1`, true)).toMatch(new RegExp(`^the registry ${host} .*\\(ECONNREFUSED\\)$`));
  });
});
