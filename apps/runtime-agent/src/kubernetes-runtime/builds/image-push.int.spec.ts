import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeRegistry } from '../testing/fake-registry.js';

const PROGRAM = new URL('../../../dist/program-image-push.js', import.meta.url).pathname;
const TYPE = 'application/vnd.oci.image';
const digestOf = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

interface Entry {
  readonly name: string;
  readonly content: Buffer;
  readonly type?: string;
}

const headerOf = ({ name, content, type = '0' }: Entry): Buffer => {
  const header = Buffer.alloc(512);
  header.write(name, 0, 'latin1');
  for (const [offset, length, value] of [
    [100, 7, 0o644],
    [108, 7, 0],
    [116, 7, 0],
    [124, 11, content.length],
    [136, 11, 0],
  ] as const)
    header.write(value.toString(8).padStart(length, '0'), offset);
  header.write(type, 156);
  header.write('ustar\0' + '00', 257);
  header.write(' '.repeat(8), 148);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return header;
};

const tarOf = (entries: readonly Entry[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap(entry => [
      headerOf(entry),
      entry.content,
      Buffer.alloc((512 - (entry.content.length % 512)) % 512),
    ]),
    Buffer.alloc(1024),
  ]);

const blobOf = (content: Buffer): Entry => ({ name: `blobs/${digestOf(content).replace(':', '/')}`, content });
const descriptorOf = (content: Buffer, type: string) => ({
  mediaType: `${TYPE}.${type}`,
  digest: digestOf(content),
  size: content.length,
});
const json = (value: object) => Buffer.from(JSON.stringify(value));

/** Distinct valid files of an archive. */
function manyOf(count: number): Entry[] {
  return Array.from({ length: count }, (_, index) => blobOf(Buffer.from(String(index))));
}

const CONFIG = json({ config: { command: [], entrypoint: [] } });
const LAYER = gzipSync(tarOf([{ name: 'hello.txt', content: Buffer.from('hello') }]));

/** An archive as BuildKit writes it, with the changes of a test. */
const archiveOf = (changes: { manifest?: object; index?: object; more?: readonly Entry[]; layer?: Buffer } = {}) => {
  const manifest = json({
    schemaVersion: 2,
    mediaType: `${TYPE}.manifest.v1+json`,
    config: descriptorOf(CONFIG, 'config.v1+json'),
    layers: [descriptorOf(LAYER, 'layer.v1.tar+gzip')],
    ...changes.manifest,
  });
  const index = { schemaVersion: 2, manifests: [descriptorOf(manifest, 'manifest.v1+json')], ...changes.index };
  const layer = { ...blobOf(LAYER), content: changes.layer ?? LAYER };
  const folder = { name: 'blobs/', content: Buffer.alloc(0), type: '5' };
  return {
    digest: digestOf(manifest),
    content: tarOf([
      folder,
      blobOf(CONFIG),
      layer,
      blobOf(manifest),
      { name: 'index.json', content: json(index) },
      ...(changes.more ?? []),
    ]),
  };
};

describe('The program that pushes the image of a build', () => {
  let folder: string;
  let archive: string;
  let registry: FakeRegistry;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-image-push-'));
    registry = await FakeRegistry.start(join(folder, 'registry'));
    archive = join(folder, 'image.tar');
  });
  beforeEach(async () => {
    registry.credentials = undefined;
    await rm(archive, { recursive: true, force: true });
  });
  afterAll(async () => {
    await registry?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** @returns its exit code and its message. */
  const push = async (tag: string, more: Readonly<Record<string, string>> = {}) => {
    const message = join(folder, `${tag}.message`);
    const env = {
      POSTERN_ARCHIVE: archive,
      POSTERN_REPOSITORY: registry.repository,
      POSTERN_TAG: tag,
      POSTERN_MESSAGE: message,
      POSTERN_INSECURE: 'true',
      ...more,
    };
    const child = spawn(process.execPath, [PROGRAM], { env, stdio: 'ignore' });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, message: await readFile(message, 'utf8') };
  };

  it('pushes it with its tag, and reports its digest', async () => {
    const { digest, content } = archiveOf();
    await writeFile(archive, content);
    expect(await push('shop')).toEqual({ code: 0, message: digest });
    expect(registry.tags).toContain('shop');
    const image = await registry.find(`any@${digest}`);
    expect(await readFile(join(image ?? '', 'hello.txt'), 'utf8')).toBe('hello');
    expect(await push('again')).toEqual({ code: 0, message: digest });
  }, 30_000);

  it('authenticates with its credentials for the registry', async () => {
    registry.credentials = { username: 'ada', password: 'se:cret' };
    const { digest, content } = archiveOf();
    await writeFile(archive, content);
    expect(await push('nobody')).toEqual({ code: 1, message: expect.stringContaining('the registry answered 401') });
    const file = join(folder, 'config.json');
    const [host = ''] = registry.repository.split('/');
    await writeFile(
      file,
      json({ auths: { [host]: { auth: btoa('ada:se:cret') }, 'example.com': { auth: btoa('x:y') } } }),
    );
    expect(await push('ada', { POSTERN_CREDENTIALS: file })).toEqual({ code: 0, message: digest });
    expect(registry.tags).toContain('ada');
    expect(registry.tags).not.toContain('nobody');
  }, 30_000);

  const other = blobOf(Buffer.from('other'));
  const elsewhere = { ...descriptorOf(LAYER, 'layer.v1.tar+gzip'), urls: ['http://127.0.0.1/'] };
  it.each([
    ['a link', { more: [{ name: 'oci-layout', content: Buffer.alloc(0), type: '2' }] }, 'an entry of the type "2"'],
    ['an extended header', { more: [{ name: 'x', content: Buffer.from('1'), type: 'x' }] }, 'an entry of the type "x"'],
    ['a file outside of the layout', { more: [{ name: '../x', content: Buffer.from('x') }] }, 'unexpected file "../x"'],
    ['a file twice', { more: [other, other] }, 'the unexpected file "blobs/sha256/'],
    ['too many files', { more: manyOf(1_001) }, 'more than 1000 entries'],
    ['a layer with another content', { layer: Buffer.alloc(LAYER.length, 1) }, 'does not match the digest'],
    ['a layer with another size', { layer: LAYER.subarray(1) }, 'does not have the stated size'],
    [
      'a layer that is not there',
      { manifest: { layers: [descriptorOf(CONFIG.subarray(1), 'layer.v1.tar')] } },
      'does not have sha256:',
    ],
    ['a layer that is elsewhere', { manifest: { layers: [elsewhere] } }, 'refers to external content'],
    [
      'a layer of another type',
      { manifest: { layers: [descriptorOf(LAYER, 'index.v1+json')] } },
      'content of the type',
    ],
    [
      'a digest that is a path',
      { manifest: { layers: [{ ...elsewhere, digest: 'sha256:../../x' }] } },
      'is not a SHA-256 digest',
    ],
    ['several images', { index: { manifests: [] } }, 'exactly one image'],
  ] as const)(
    'refuses an archive that has %s, and pushes nothing',
    async (what, changes, message) => {
      await writeFile(archive, archiveOf(changes).content);
      expect(await push('hostile')).toEqual({ code: 1, message: expect.stringContaining(message) });
      expect([what, registry.tags.includes('hostile')]).toEqual([what, false]);
    },
    30_000,
  );

  it('refuses a truncated archive, a link or a folder instead of an archive, and a missing archive', async () => {
    expect((await push('none')).message).toBe('there is no archive');
    const { content } = archiveOf();
    await writeFile(archive, content.subarray(0, 700));
    expect((await push('cut')).message).toBe('the archive ends early');
    await writeFile(join(folder, 'elsewhere.tar'), content);
    await rm(archive);
    await symlink(join(folder, 'elsewhere.tar'), archive);
    expect((await push('link')).message).toBe('there is no archive');
    await rm(archive);
    await mkdir(archive);
    expect((await push('folder')).message).toBe('the archive is not a regular file');
    expect(registry.tags).not.toContain('link');
  }, 60_000);
});
