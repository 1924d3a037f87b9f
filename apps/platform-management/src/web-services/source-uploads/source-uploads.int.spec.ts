import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  beginSourceUpload,
  createDeployment,
  deleteWebService,
  deploySourceUpload,
  discardSourceUpload,
  getDeployment,
  listDeployments,
  putSourceUploadPart,
  readSourceUploadPart,
  rollBackDeployment,
} from '@postern/contracts';
import type { BuildOrder } from '@postern/runtime';
import { v4 as uuidv4 } from 'uuid';
import type { WebServiceOf } from '../../testing/caller.js';
import { ServedWebServices } from '../../testing/served-web-services.js';
import { DeleteOldUploads } from './delete-old-uploads.js';

const DIGEST = 'd'.repeat(64);
const never = new AbortController().signal;

let fixture: ServedWebServices;
let of: WebServiceOf;
const orders: BuildOrder[] = [];

beforeAll(async () => {
  fixture = await ServedWebServices.start();
  fixture.machine.features.add('uploads');
  fixture.machine.script.build = order => void orders.push(order);
}, 120_000);
afterAll(() => fixture?.stop());
beforeEach(async () => {
  const owner = await fixture.owner();
  of = await fixture.newService(owner);
  orders.length = 0;
});

const request: ServedWebServices['client']['request'] = (contract, body) => fixture.client.request(contract, body);
const put = (upload_id: string, part: number, text: string) =>
  request(putSourceUploadPart, { upload_id, part, content: Buffer.from(text).toString('base64') });
const uploaded = async (...parts: readonly string[]) => {
  const upload_id = uuidv4();
  await request(beginSourceUpload, { ...of, upload_id });
  for (const [part, text] of parts.entries()) await put(upload_id, part, text);
  return upload_id;
};
const deployUpload = (upload_id: string, size_bytes: number, digest = DIGEST) =>
  request(deploySourceUpload, { ...of, upload_id, digest, size_bytes });
const live = (deployment_id: string) => fixture.until(() => request(getDeployment, { ...of, deployment_id }), 'live');
const deployed = async () => {
  const id = await uploaded('one', 'two');
  const { id: deploymentId } = await deployUpload(id, 6);
  await live(deploymentId);
  return { id, deploymentId };
};
const content = async (upload_id: string, part: number) => {
  const { content: text } = await request(readSourceUploadPart, { upload_id, part });
  return text === null ? null : Buffer.from(text, 'base64').toString();
};
const age = (upload: string, hours: number) =>
  fixture.pool.query(`UPDATE source_uploads SET created_at = now() - make_interval(hours => $2) WHERE id = $1`, [
    upload,
    hours,
  ]);
const cleanUp = () => fixture.replicas[0]!.app.get(DeleteOldUploads, { strict: false }).run({ signal: never });

describe('an upload', () => {
  it('is deployed like a commit, with its digest and size in the history', async () => {
    const id = await uploaded('one', 'two');
    const queued = await deployUpload(id, 6);
    expect(queued).toMatchObject({ branch: null, commit: null, upload: { digest: DIGEST, size_bytes: 6 } });
    await live(queued.id);
    expect(orders).toMatchObject([{ upload: { id, digest: DIGEST, sizeBytes: 6 }, commit: DIGEST }]);
    expect(orders[0]!.environment).not.toHaveProperty('POSTERN_GIT_COMMIT');
    expect(fixture.machine.serving(of.web_service_id)?.environment).not.toHaveProperty('POSTERN_GIT_COMMIT');
    const { items } = await request(listDeployments, { ...of, limit: 10 });
    expect(items).toMatchObject([{ id: queued.id, status: 'live', commit: null, upload: { digest: DIGEST } }]);
  });

  it('is read part by part', async () => {
    const id = await uploaded('one', 'two');
    expect([await content(id, 0), await content(id, 1), await content(id, 2)]).toEqual(['one', 'two', null]);
  });

  it('keeps the first bytes of a part that arrives again', async () => {
    const id = await uploaded('one');
    await put(id, 0, 'other');
    expect(await content(id, 0)).toBe('one');
  });

  it('is built again, and rolled back to without a build', async () => {
    const first = await deployed();
    const commit = await request(createDeployment, of);
    expect(commit.upload).toBeUndefined();
    await live(commit.id);
    const again = await request(createDeployment, { ...of, upload_of: first.deploymentId });
    expect(again).toMatchObject({ branch: null, upload: { digest: DIGEST, size_bytes: 6 } });
    await live(again.id);
    expect(orders.map(({ upload }) => upload?.id)).toEqual([first.id, undefined, first.id]);
    const rollback = await request(rollBackDeployment, { ...of, deployment_id: first.deploymentId });
    await live(rollback.id);
    expect(await request(getDeployment, { ...of, deployment_id: rollback.id })).toMatchObject({
      commit: null,
      rollback_of: first.deploymentId,
      upload: { digest: DIGEST },
    });
    expect(orders).toHaveLength(3);
  });

  it.each([
    ['incomplete', async () => deployUpload(await uploaded('one'), 6)],
    ['unknown', async () => deployUpload(uuidv4(), 6)],
    [
      'older than an hour',
      async () => {
        const id = await uploaded('one');
        await age(id, 1);
        return deployUpload(id, 3);
      },
    ],
    [
      'discarded',
      async () => {
        const id = await uploaded('one');
        await request(discardSourceUpload, { upload_id: id });
        return deployUpload(id, 3);
      },
    ],
  ])('that is %s cannot be deployed', async (_, attempt) => {
    await expect(attempt()).rejects.toMatchObject({ code: 'upload_not_found' });
  });

  it('of another web service, or for one of another workspace, does not exist', async () => {
    const id = await uploaded('one');
    const stranger = await fixture.owner();
    const theirs = await fixture.newService(stranger);
    const deployment = { upload_id: id, digest: DIGEST, size_bytes: 3 };
    await expect(request(deploySourceUpload, { ...theirs, ...deployment })).rejects.toMatchObject({
      code: 'upload_not_found',
    });
    for (const attempt of [
      request(beginSourceUpload, { ...of, ...stranger, upload_id: uuidv4() }),
      request(deploySourceUpload, { ...of, ...stranger, ...deployment }),
    ])
      await expect(attempt).rejects.toMatchObject({ code: 'web_service_not_found' });
  });

  it('is refused where the runtime builds none', async () => {
    fixture.machine.features.delete('uploads');
    try {
      await expect(uploaded()).rejects.toMatchObject({ code: 'uploads_not_supported' });
    } finally {
      fixture.machine.features.add('uploads');
    }
  });

  it('is deployed again only if the named deployment had one', async () => {
    const { id } = await request(createDeployment, of);
    const attempts = [
      [{ upload_of: id }, 'invalid_input', 'was not uploaded'],
      [{ upload_of: uuidv4() }, 'deployment_not_found', ''],
      [{ upload_of: id, branch: 'main' }, 'invalid_input', 'cannot be combined with branch'],
    ] as const;
    for (const [body, code, words] of attempts)
      await expect(request(createDeployment, { ...of, ...body })).rejects.toMatchObject({
        code,
        message: expect.stringContaining(words),
      });
  });
});

describe('the cleanup of uploads', () => {
  it('deletes what was never deployed, and keeps the last three', async () => {
    const forgotten = await uploaded('one');
    const all: { id: string; deploymentId: string }[] = [];
    for (let count = 0; count < 4; count += 1) all.push(await deployed());
    const young = await uploaded('one');
    for (const id of [forgotten, ...all.map(({ id }) => id)]) await age(id, 3);
    await cleanUp();
    const kept = await Promise.all([forgotten, ...all.map(({ id }) => id), young].map(id => content(id, 0)));
    expect(kept).toEqual([null, null, 'one', 'one', 'one', 'one']);
    await expect(request(createDeployment, { ...of, upload_of: all[0]!.deploymentId })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('only the last 3 uploads are kept'),
    });
    await live((await request(createDeployment, { ...of, upload_of: all[1]!.deploymentId })).id);
  }, 60_000);

  it('leaves nothing of a deleted web service', async () => {
    const { id } = await deployed();
    await request(deleteWebService, of);
    await fixture.until(async () => ({ status: (await content(id, 0)) === null ? 'gone' : 'there' }), 'gone');
  }, 60_000);
});
