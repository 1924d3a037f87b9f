import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BuildFailed, SourceUnavailable } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { CALLER, ofService, PROJECT } from '../../testing/fake-neighbours.js';
import { type Replica, WebServicesFixture } from '../../testing/web-services-fixture.js';
import { newDeployKeyPair } from '../repository-credentials/deploy-key-pair.js';

const HOST_KEY = 'git.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl\n';
const FINGERPRINT = 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU';
const TOKEN = 'glpat-of-the-owner';

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

const sealedCount = async (): Promise<number> => (await fixture.pool.query('SELECT id FROM sealed_values')).rows.length;

describe('a deployment of a private repository', () => {
  it('uses the deploy key, and trusts the host key of the first connection', async () => {
    const pair = newDeployKeyPair('test');
    fixture.machine.hostKeys = HOST_KEY;
    const id = await fixture.createService(replica, { git_repository_url: 'git@git.example.com:shop/web.git' });
    await replica.credentials.putDeployKey(id, pair);
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
    const { privateKey } = pair;
    const trusting = { ssh: { privateKey, knownHosts: HOST_KEY } };
    expect(fixture.machine.sources.map(({ credentials }) => credentials)).toEqual([
      { ssh: { privateKey, knownHosts: undefined } },
      trusting,
    ]);
    expect(fixture.machine.orders).toMatchObject([
      { credentials: trusting, environment: {} },
      { credentials: trusting, environment: {} },
    ]);
    expect(fixture.machine.messages(id, 'platform')).toContain(
      `The host key of git.example.com is stored: ${FINGERPRINT}`,
    );
    expect((await replica.credentials.of(id)).deployKey?.hostKeys).toEqual([
      { host: 'git.example.com', fingerprint: FINGERPRINT },
    ]);
    await replica.credentials.putDeployKey(id, newDeployKeyPair('test'));
    expect((await replica.credentials.of(id)).deployKey?.hostKeys).toEqual([]);
  });

  it('sends a token only to the host that it was stored for', async () => {
    const id = await fixture.createService(replica);
    await replica.credentials.putToken(id, 'git_token', { username: 'ada', host: 'git.example.com' }, TOKEN);
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
    await replica.commands.change.execute({
      ...CALLER,
      web_service_id: id,
      git_repository_url: 'https://evil.example.com/shop.git',
    });
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
    expect(fixture.machine.sources.map(({ credentials }) => credentials)).toEqual([
      { https: { username: 'ada', token: TOKEN } },
      {},
    ]);
    expect(fixture.machine.messages(id, 'platform')).toContain(
      'The access token was stored for git.example.com and is not sent to evil.example.com; store one for evil.example.com',
    );
  });

  it('of a preview uses the credentials of the web service that it is a preview of', async () => {
    const pair = newDeployKeyPair('test');
    fixture.machine.hostKeys = HOST_KEY;
    const git_repository_url = 'git@git.example.com:shop/web.git';
    const original = await fixture.createService(replica, { git_repository_url });
    await replica.credentials.putDeployKey(original, pair);
    const { settings } = await replica.repository.stateOf(original);
    const id = uuidv7();
    await replica.repository.create(
      { lock: 'quota', check: async () => undefined },
      {
        ...settings!,
        web_service_id: id,
        ...CALLER,
        project_id: PROJECT,
        preview: { web_service_id: original, pull_request: 7, url: null },
        at: new Date().toISOString(),
      },
    );
    await fixture.untilDeployment(await fixture.deploy(replica, id), 'live');
    expect(fixture.machine.orders).toMatchObject([
      { webServiceId: id, credentials: { ssh: { privateKey: pair.privateKey, knownHosts: HOST_KEY } } },
    ]);
    expect((await replica.credentials.of(original)).deployKey?.hostKeys).toHaveLength(1);
  });

  it('fails with a message without credentials, even if the server repeats them', async () => {
    const id = await fixture.createService(replica);
    await replica.credentials.putToken(id, 'git_token', { username: 'ada', host: 'git.example.com' }, TOKEN);
    const encoded = Buffer.from(`ada:${TOKEN}`).toString('base64');
    fixture.machine.script.resolve = () => {
      throw new SourceUnavailable(`refused: Basic ${encoded} ${TOKEN}`);
    };
    const unresolved = await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(unresolved.error).toBe('refused: Basic ******** ********');
    fixture.machine.script.resolve = () => {};
    fixture.machine.script.build = () => {
      throw new BuildFailed(`no access with ${TOKEN}`);
    };
    const unbuilt = await fixture.untilDeployment(await fixture.deploy(replica, id), 'failed');
    expect(unbuilt.error).toBe('no access with ********');
    expect(fixture.machine.orders.at(-1)!.secrets).toEqual(expect.arrayContaining([TOKEN, encoded]));
  });

  it('deletes its sealed credentials with the web service', async () => {
    const before = await sealedCount();
    const id = await fixture.createService(replica);
    await replica.credentials.putDeployKey(id, newDeployKeyPair('test'));
    await replica.credentials.putToken(id, 'git_token', { username: 'ada', host: 'git.example.com' }, TOKEN);
    expect((await sealedCount()) - before).toBe(2);
    await replica.commands.remove.execute(ofService(id));
    await expect(replica.credentials.putDeployKey(id, newDeployKeyPair('test'))).rejects.toMatchObject({
      code: 'web_service_not_found',
    });
    await waitFor(async () => (await sealedCount()) === before, { describe: 'the credentials to be deleted' });
    expect(await replica.credentials.of(id)).toEqual({ deployKey: undefined, gitToken: undefined });
  });
});
