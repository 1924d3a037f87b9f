import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  beginSourceUpload,
  createDeployment,
  deploySourceUpload,
  discardSourceUpload,
  MAX_UPLOAD_BYTES,
  putSourceUploadPart,
  Refusal,
} from '@postern/contracts';
import { callDashboard, knowSession } from '../testing/dashboard-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { announced, call, firstAnswer, parsed } from '../testing/http.js';
import { admitAll, bearer, USER, WORKSPACE } from '../testing/platform-call.js';
import { archiveOf, tarOf } from '../testing/tar-archive.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const PATH = `/api/v1/web-services/${ID}/deployments`;
const SMALL = archiveOf([{ name: 'index.html', content: 'hi' }]);

/** Two KiB for each of 17 times 64 MiB: gzip allows several members. */
const ZEROS = gzipSync(Buffer.alloc(64 * 2 ** 20));
const BOMB = Buffer.concat([
  gzipSync(tarOf([{ name: 'a', size: 0o77777777777 }], Buffer.alloc(0))),
  ...Array.from({ length: 17 }, () => ZEROS),
]);

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => admitAll(gateway.services));

const upload = (body: Buffer, headers: Record<string, string> = {}, path = PATH) =>
  call('POST', `${gateway.url}${path}`, {
    headers: { ...bearer, 'content-type': 'application/gzip', ...headers },
    body,
  });
const sent = <C extends Parameters<typeof gateway.services.requestsOf>[0]>(contract: C) =>
  gateway.services.requestsOf(contract);

describe('POST …/deployments with an archive', () => {
  it('stores it in parts and deploys it, whatever the type of gzip is called', async () => {
    // Incompressible, so that it needs several parts.
    const archive = archiveOf([{ name: 'big', content: randomBytes(700_000) }]);
    for (const type of ['application/gzip', 'application/x-gzip; charset=binary']) {
      admitAll(gateway.services);
      const answer = await upload(archive, { 'content-type': type });
      expect(answer.status).toBe(202);
      const [begun] = sent(beginSourceUpload);
      expect(begun).toMatchObject({ user_id: USER, workspace_id: WORKSPACE, web_service_id: ID });
      const parts = sent(putSourceUploadPart) as { upload_id: string; part: number; content: string }[];
      expect(parts.map(({ part }) => part)).toEqual([0, 1, 2]);
      expect(Buffer.concat(parts.map(({ content }) => Buffer.from(content, 'base64'))).equals(archive)).toBe(true);
      expect(sent(deploySourceUpload)).toMatchObject([
        {
          web_service_id: ID,
          upload_id: (begun as { upload_id: string }).upload_id,
          digest: createHash('sha256').update(archive).digest('hex'),
          size_bytes: archive.length,
          clear_cache: false,
        },
      ]);
      expect(sent(createDeployment)).toEqual([]);
    }
  });

  it('clears the cache if asked, and refuses other parameters', async () => {
    expect((await upload(SMALL, {}, `${PATH}?clear_cache=true`)).status).toBe(202);
    expect(sent(deploySourceUpload)).toMatchObject([{ clear_cache: true }]);
    const odd = await upload(SMALL, {}, `${PATH}?clear_cache=yes`);
    expect([odd.status, odd.text]).toEqual([400, expect.stringContaining('clear_cache')]);
    expect((await upload(SMALL, {}, `${PATH}?branch=main`)).status).toBe(400);
    expect((await upload(SMALL, {}, '/api/v1/web-services/x/deployments')).status).toBe(400);
  });

  it('works in the dashboard API, too', async () => {
    knowSession(gateway.services);
    const answer = await callDashboard(gateway, 'POST', `/web-services/${ID}/deployments`, SMALL, {
      authorization: 'Bearer a-session-token',
      'content-type': 'application/gzip',
    });
    expect(answer.status).toBe(202);
    expect(sent(deploySourceUpload)).toHaveLength(1);
  });

  it('leaves JSON to the other route', async () => {
    const answer = await call('POST', `${gateway.url}${PATH}`, { headers: bearer, body: { branch: 'main' } });
    expect(answer.status).toBe(202);
    expect(sent(createDeployment)).toMatchObject([{ branch: 'main' }]);
    const tar = await upload(tarOf([{ name: 'a' }]), { 'content-type': 'application/x-tar' });
    expect(tar.status).toBe(415);
  });

  it('identifies an upload with an Idempotency-Key by its content', async () => {
    const keyed = { 'idempotency-key': 'one' };
    await upload(SMALL, keyed);
    await upload(SMALL, keyed);
    await upload(archiveOf([{ name: 'other', content: '' }]), keyed);
    const fingerprints = gateway.services.keys.map(({ fingerprint }) => fingerprint);
    expect(fingerprints).toHaveLength(3);
    expect(fingerprints[0]).toBe(fingerprints[1]);
    expect(fingerprints[2]).not.toBe(fingerprints[0]);
  });

  it.each<[string, Buffer, string]>([
    ['no body', Buffer.alloc(0), 'The body is empty'],
    ['a body that is no gzip', Buffer.from('hello world'), 'The body is not a gzip file'],
    ['gzip that ends early', SMALL.subarray(0, SMALL.length - 12), 'The body is not a gzip file'],
    ['gzip of something else', gzipSync('hello'.repeat(500)), 'The body is not a tar archive'],
    ['an absolute path', archiveOf([{ name: '/etc/x' }]), 'the entry \\"/etc/x\\" is an absolute path'],
    ['a link that leads out', archiveOf([{ name: 'a', type: '2', target: '../..' }]), 'outside the archive'],
    ['a bomb', BOMB, 'unpacks to more than 1024 MiB'],
  ])(
    'answers 400 in words to %s, and keeps nothing',
    async (_, body, words) => {
      const answer = await upload(body);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)]);
      expect(answer.headers['error-code']).toBe('invalid_archive');
      expect(sent(deploySourceUpload)).toEqual([]);
      expect(sent(discardSourceUpload)).toHaveLength(sent(beginSourceUpload).length);
    },
    60_000,
  );

  it('answers 413 to a larger archive before it is sent', async () => {
    const head = announced(`POST ${PATH}`, MAX_UPLOAD_BYTES + 1, [`Authorization: ${bearer.authorization}`]);
    const answer = parsed(await firstAnswer(gateway.port, head.replace('application/json', 'application/gzip')));
    expect([answer.status, answer.body]).toEqual([413, { detail: 'The body is larger than 100 MiB.' }]);
  });

  it('answers as the platform does if it refuses the upload', async () => {
    gateway.services.on(beginSourceUpload, () => {
      throw new Refusal('web_service_not_found', 'the web service does not exist');
    });
    const answer = await upload(SMALL);
    expect([answer.status, answer.headers['error-code']]).toEqual([404, 'web_service_not_found']);
    expect(sent(putSourceUploadPart)).toEqual([]);
  });

  it('needs a key that may write', async () => {
    const answer = await upload(SMALL, { authorization: 'Bearer nonsense' });
    expect(answer.status).toBe(401);
    expect(sent(beginSourceUpload)).toEqual([]);
  });
});
