import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  changeWebService,
  createDeployment,
  deleteSecretFile,
  deleteWebService,
  getDeployment,
  listSecretFiles,
  type RequestInput,
  resolveEnvironment,
  restartWebService,
  rollBackDeployment,
  setProjectSecret,
  setSecretFiles,
  setVariable,
} from '@postern/contracts';
import { newCaller, type WebServiceOf } from '../../testing/caller.js';
import { type Owner, ServedWebServices } from '../../testing/served-web-services.js';

let fixture: ServedWebServices;
let owner: Owner;
let of: WebServiceOf;

beforeAll(async () => {
  fixture = await ServedWebServices.start();
  fixture.machine.features.add('secretFiles').add('disk');
}, 120_000);
afterAll(() => fixture?.stop());
beforeEach(async () => {
  owner = await fixture.owner();
  of = await fixture.newService(owner);
});

const request: ServedWebServices['client']['request'] = (contract, body) => fixture.client.request(contract, body);
type Files = RequestInput<typeof setSecretFiles>['files'];
const set = (...files: Files) => request(setSecretFiles, { ...of, files });
const refused = (message: string) => ({ code: 'invalid_input', message: expect.stringContaining(message) });
const deploy = async () => {
  const { id } = await request(createDeployment, of);
  await fixture.until(() => request(getDeployment, { ...of, deployment_id: id }), 'live');
  return id;
};
const servedFiles = () => fixture.machine.serving(of.web_service_id)?.files;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('secret files', () => {
  it('are listed by path without their contents, and replaced under their ids', async () => {
    const files: Files = [
      { path: 'tls/key.pem', content: 'käy' },
      { path: '/etc/secrets/google.json', content: base64('{}'), encoding: 'base64' },
    ];
    expect(await set(...files)).toEqual({ created: ['tls/key.pem', 'google.json'], updated: [] });
    const before = await request(listSecretFiles, of);
    expect(before).toEqual([
      { id: expect.any(String), path: 'google.json', size_bytes: 2, updated_at: expect.any(String) },
      { id: expect.any(String), path: 'tls/key.pem', size_bytes: 4, updated_at: expect.any(String) },
    ]);
    expect(await set({ path: 'google.json', content: '' }, { path: 'new', content: 'x' })).toEqual({
      created: ['new'],
      updated: ['google.json'],
    });
    const after = await request(listSecretFiles, of);
    expect(after.map(({ path }) => path)).toEqual(['google.json', 'new', 'tls/key.pem']);
    expect(after[0]).toMatchObject({ id: before[0]?.id, size_bytes: 0 });
  });

  it('belong to the release that starts next, and come back with a rollback', async () => {
    await set({ path: 'key', content: 'one' });
    const first = await deploy();
    expect(servedFiles()).toEqual({ key: base64('one') });
    expect(fixture.machine.serving(of.web_service_id)?.secrets).not.toContain('');
    await set({ path: 'key', content: 'two' });
    expect(servedFiles()).toEqual({ key: base64('one') });
    await deploy();
    expect(servedFiles()).toEqual({ key: base64('two') });
    await request(rollBackDeployment, { ...of, deployment_id: first });
    await fixture.until(async () => ({ status: String(servedFiles()?.['key'] === base64('one')) }), 'true');
    for (const { id } of await request(listSecretFiles, of)) {
      expect(await request(deleteSecretFile, { ...of, file_id: id })).toEqual({ id, deleted: true });
      await expect(request(deleteSecretFile, { ...of, file_id: id })).rejects.toMatchObject({
        code: 'secret_file_not_found',
      });
    }
    await request(restartWebService, of);
    await fixture.until(async () => ({ status: String(servedFiles() === undefined) }), 'true');
  }, 60_000);

  it('are refused with a path that is not below their folder, is repeated, or is a folder of another one', async () => {
    for (const path of ['../x', '/etc/passwd', 'a//b', '.', 'a/../b', '..data', 'a b', 'a\0', '', 'x'.repeat(256)])
      await expect(set({ path, content: '' })).rejects.toMatchObject({ message: expect.stringContaining('path') });
    await expect(set({ path: 'a', content: '' }, { path: 'a', content: '' })).rejects.toMatchObject(
      refused('files[1].path: a is duplicated'),
    );
    await set({ path: 'folder/file', content: '' });
    await expect(set({ path: 'folder', content: '' })).rejects.toMatchObject(
      refused('files[0].path: folder and folder/file cannot both be files'),
    );
    expect(await request(listSecretFiles, of)).toHaveLength(1);
  });

  it('are refused above 50 files or 512 KiB in all, and with invalid base64', async () => {
    const half = 'x'.repeat(300_000);
    await set({ path: 'large', content: half });
    await expect(set({ path: 'other', content: half })).rejects.toMatchObject(refused('have 600000 bytes'));
    const many = Array.from({ length: 50 }, (_, number) => ({ path: `f${number}`, content: '' }));
    await expect(set(...many)).rejects.toMatchObject(refused('at most 50 secret files'));
    await expect(set({ path: 'a', content: 'no base64!', encoding: 'base64' })).rejects.toMatchObject(
      refused('files[0].content: must be base64'),
    );
  });

  it('do not exist for other users, and are deleted with the web service', async () => {
    await set({ path: 'key', content: 'one' });
    const stranger = { ...of, ...newCaller() };
    const nothing = { code: 'web_service_not_found' };
    await expect(request(listSecretFiles, stranger)).rejects.toMatchObject(nothing);
    await expect(request(resolveEnvironment, stranger)).rejects.toMatchObject(nothing);
    await expect(request(setSecretFiles, { ...stranger, files: [{ path: 'x', content: '' }] })).rejects.toMatchObject(
      nothing,
    );
    await request(deleteWebService, of);
    await expect(set({ path: 'x', content: '' })).rejects.toMatchObject(nothing);
    const rows = () => fixture.pool.query('SELECT 1 FROM secret_files WHERE web_service_id = $1', [of.web_service_id]);
    await fixture.until(async () => ({ status: String((await rows()).rowCount) }), '0');
  }, 60_000);
});

describe('the resolved environment', () => {
  const resolved = async () => {
    const all = await request(resolveEnvironment, of);
    return Object.fromEntries(all.map(({ key, ...variable }) => [key, variable]));
  };

  it('has the variables of a start with their origins, masked, and whether a running instance has them', async () => {
    await request(setProjectSecret, { ...owner, key: 'TOKEN', value: 's3cr3t', scope: 'production' });
    await request(setProjectSecret, { ...owner, key: 'BOTH', value: 'of the project', scope: 'production' });
    await request(setProjectSecret, { ...owner, key: 'STAGING', value: 'no', scope: 'staging' });
    await request(setVariable, { ...of, key: 'BOTH', value: 'own' });
    expect(await resolved()).toEqual({
      TOKEN: { value: '********', is_secret: true, origin: 'project_secret', running: null },
      BOTH: { value: 'own', is_secret: false, origin: 'variable', running: null },
      PORT: { value: '3000', is_secret: false, origin: 'platform', running: null },
    });
    const deployment = await deploy();
    await request(setVariable, { ...of, key: 'BOTH', value: 'changed' });
    await request(setVariable, { ...of, key: 'NEW', value: 'x', is_secret: true });
    await request(changeWebService, { ...of, port: 4000, disk: { size_mib: 64 } });
    expect(await resolved()).toMatchObject({
      TOKEN: { value: '********', origin: 'project_secret', running: true },
      BOTH: { value: 'changed', running: false },
      NEW: { value: '********', running: false },
      PORT: { value: '4000', running: false },
      DISK_PATH: { value: '/data', origin: 'platform', running: false },
      POSTERN_DEPLOYMENT_ID: { value: deployment, origin: 'platform', running: true },
    });
  }, 60_000);
});
