import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createDeployKey,
  createWebService,
  deleteDeployKey,
  deleteGitToken,
  deleteWebService,
  getRepositoryCredentials,
  setGitToken,
} from '@postern/contracts';
import { codeOf } from '../../testing/accounts-fixture.js';
import { ResourcesFixture } from '../../testing/resources-fixture.js';

const TOKEN = 'github_pat_0123456789';

const resources = await ResourcesFixture.start();
afterAll(() => resources.stop());

const newCaller = async (git_repository_url = 'https://git.example.com/web.git') => {
  const project_id = await resources.newProject();
  const overrides = { name: 'web', project_id, git_repository_url, port: 3000 };
  const { id: web_service_id } = await resources.request(createWebService, { ...resources.user, ...overrides });
  return { ...resources.user, web_service_id };
};
const stored = (text: string) =>
  resources.fixture.query(`SELECT id FROM ${text}`).then(rows => (rows as readonly unknown[]).length);

describe('a deploy key', () => {
  it('is created for a repository over SSH, replaced and deleted', async () => {
    const caller = await newCaller('git@git.example.com:shop/web.git');
    const first = await resources.request(createDeployKey, caller);
    expect(first).toEqual({ public_key: expect.stringMatching(/^ssh-ed25519 \S{68} postern-/) });
    const second = await resources.request(createDeployKey, caller);
    expect(second.public_key).not.toBe(first.public_key);
    expect(await resources.request(getRepositoryCredentials, caller)).toEqual({
      deploy_key: { ...second, created_at: expect.any(String), host_keys: [] },
      git_token: null,
      registry: null,
    });
    expect(await resources.request(deleteDeployKey, caller)).toEqual({ id: expect.any(String), deleted: true });
    expect(await codeOf(resources.request(deleteDeployKey, caller))).toBe('deploy_key_not_found');
  });
});

describe('a Git token', () => {
  it('is stored for the host of the repository and never returned', async () => {
    const caller = await newCaller();
    const token = { username: 'oauth2', host: 'git.example.com' };
    expect(await resources.request(setGitToken, { ...caller, username: 'oauth2', token: TOKEN })).toEqual(token);
    expect(await resources.request(getRepositoryCredentials, caller)).toEqual({
      deploy_key: null,
      git_token: { ...token, created_at: expect.any(String) },
      registry: null,
    });
    expect(resources.lines.join('\n')).not.toContain(TOKEN);
    expect(await resources.request(deleteGitToken, caller)).toMatchObject({ deleted: true });
    expect(await codeOf(resources.request(deleteGitToken, caller))).toBe('git_token_not_found');
  });

  it('has a default user name that most Git hosts accept', async () => {
    expect(await resources.request(setGitToken, { ...(await newCaller()), token: TOKEN })).toMatchObject({
      username: 'x-access-token',
    });
  });
});

describe('credentials of a web service', () => {
  it('can be neither created nor read by other users', async () => {
    const { web_service_id } = await newCaller();
    const stranger = { ...resources.stranger, web_service_id };
    for (const refused of [
      resources.request(createDeployKey, stranger),
      resources.request(deleteDeployKey, stranger),
      resources.request(setGitToken, { ...stranger, token: TOKEN }),
      resources.request(deleteGitToken, stranger),
      resources.request(getRepositoryCredentials, stranger),
    ])
      expect(await codeOf(refused)).toBe('web_service_not_found');
  });

  it('are encrypted at rest, with one stored secret each', async () => {
    const caller = await newCaller();
    const before = await stored('sealed_values');
    await resources.request(createDeployKey, caller);
    await resources.request(createDeployKey, caller);
    await resources.request(setGitToken, { ...caller, token: TOKEN });
    await resources.request(setGitToken, { ...caller, token: `${TOKEN}-new` });
    expect((await stored('sealed_values')) - before).toBe(2);
    expect(await stored(`sealed_values WHERE sealed LIKE '%OPENSSH%' OR sealed LIKE '%${TOKEN}%'`)).toBe(0);
  });

  it('cannot be created for a deleted web service', async () => {
    const caller = await newCaller();
    await resources.request(deleteWebService, caller);
    expect(await codeOf(resources.request(createDeployKey, caller))).toBe('web_service_not_found');
    expect(await codeOf(resources.request(setGitToken, { ...caller, token: TOKEN }))).toBe('web_service_not_found');
  });
});
