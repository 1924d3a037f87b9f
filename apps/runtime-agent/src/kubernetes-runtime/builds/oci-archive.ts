import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { isJsonObject } from '@postern/contracts';
import { ArchiveRefused, type TarFile, tarFilesOf } from './tar-entries.js';

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json';
const LAYER_TYPE = /^application\/vnd\.oci\.image\.layer\.v1\.tar(?:\+gzip|\+zstd)?$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const FILE = /^(?:oci-layout|index\.json|manifest\.json|blobs\/sha256\/[0-9a-f]{64})$/;

const MAX_ENTRIES = 1_000;
const MAX_LAYERS = 500;
const MAX_INDEX_BYTES = 1024 * 1024;
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

export interface Blob {
  readonly digest: string;
  readonly size: number;
}

/**
 * An image as an archive in the OCI image layout. The archive is not trusted: names, sizes, types and digests are
 * checked, and nothing is unpacked.
 */
export class OciArchive {
  private constructor(
    private readonly file: FileHandle,
    private readonly files: ReadonlyMap<string, TarFile>,
    /** The manifest as stored; its digest is the digest of the image. */
    readonly manifest: Buffer,
    readonly digest: string,
    /** The configuration and the layers. */
    readonly blobs: readonly Blob[],
  ) {}

  /** @throws ArchiveRefused. */
  static async open(path: string): Promise<OciArchive> {
    // A link could lead to the credentials, and reading a pipe could block forever.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {
      throw new ArchiveRefused('there is no archive');
    });
    try {
      if (!(await file.stat()).isFile()) throw new ArchiveRefused('the archive is not a regular file');
      const files = await tarFilesOf(file, name => FILE.test(name), MAX_ENTRIES);
      const digest = await manifestDigestOf(file, files);
      const manifest = await contentOf(file, fileOf(files, digest), MAX_MANIFEST_BYTES);
      const blobs = blobsOf(parsed(manifest));
      for (const blob of [{ digest, size: manifest.length }, ...blobs]) await verify(file, files, blob);
      return new OciArchive(file, files, manifest, digest, blobs);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  read({ digest }: Blob): Readable {
    const { position, size } = fileOf(this.files, digest);
    return this.file.createReadStream({ autoClose: false, start: position, end: position + size - 1 });
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

const fileOf = (files: ReadonlyMap<string, TarFile>, digest: string): TarFile => {
  const found = files.get(`blobs/${digest.replace(':', '/')}`);
  if (!found) throw new ArchiveRefused(`the archive does not have ${digest}`);
  return found;
};

const contentOf = async (file: FileHandle, { position, size }: TarFile, most: number): Promise<Buffer> => {
  if (size > most) throw new ArchiveRefused(`an index or manifest has more than ${most} bytes`);
  const content = Buffer.alloc(size);
  await file.read(content, 0, size, position);
  return content;
};

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {});

const parsed = (content: Buffer): Fields => {
  try {
    return fieldsOf(JSON.parse(content.toString('utf8')));
  } catch {
    throw new ArchiveRefused('an index or manifest is not valid JSON');
  }
};

const manifestDigestOf = async (file: FileHandle, files: ReadonlyMap<string, TarFile>): Promise<string> => {
  const index = files.get('index.json');
  if (!index) throw new ArchiveRefused('the archive has no index.json');
  const { manifests } = parsed(await contentOf(file, index, MAX_INDEX_BYTES));
  if (!Array.isArray(manifests) || manifests.length !== 1)
    throw new ArchiveRefused('the archive does not have exactly one image');
  return descriptorOf(manifests[0], type => type === MANIFEST_TYPE).digest;
};

const descriptorOf = (value: unknown, isExpected: (type: string) => boolean): Blob => {
  const { mediaType, digest, size, urls } = fieldsOf(value);
  if (typeof mediaType !== 'string' || !isExpected(mediaType))
    throw new ArchiveRefused(`the archive has content of the type ${JSON.stringify(mediaType)}`);
  if (typeof digest !== 'string' || !DIGEST.test(digest)) throw new ArchiveRefused('a digest is not a SHA-256 digest');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 1)
    throw new ArchiveRefused(`the size of ${digest} is not a number of bytes`);
  if (urls !== undefined) throw new ArchiveRefused(`${digest} refers to external content`);
  return { digest, size };
};

const blobsOf = ({ mediaType, config, layers }: Fields): Blob[] => {
  if (mediaType !== MANIFEST_TYPE) throw new ArchiveRefused('the manifest does not name its type');
  if (!Array.isArray(layers) || layers.length > MAX_LAYERS)
    throw new ArchiveRefused(`the image does not have between 0 and ${MAX_LAYERS} layers`);
  const all = [
    descriptorOf(config, type => type === CONFIG_TYPE),
    ...layers.map(layer => descriptorOf(layer, type => LAYER_TYPE.test(type))),
  ];
  // The same layer may be listed twice; an empty one often is.
  return [...new Map(all.map(blob => [blob.digest, blob])).values()];
};

const verify = async (
  file: FileHandle,
  files: ReadonlyMap<string, TarFile>,
  { digest, size: expected }: Blob,
): Promise<void> => {
  const { position, size } = fileOf(files, digest);
  if (size !== expected) throw new ArchiveRefused(`${digest} does not have the stated size`);
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size));
  for (let done = 0; done < size; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - done), position + done);
    if (bytesRead === 0) throw new ArchiveRefused('the archive ends early');
    hash.update(chunk.subarray(0, bytesRead));
    done += bytesRead;
  }
  if (`sha256:${hash.digest('hex')}` !== digest)
    throw new ArchiveRefused(`the content of ${digest} does not match the digest`);
};
