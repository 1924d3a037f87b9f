import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageReference, imageReferenceText, parseImageReference } from '@postern/contracts';
import type { OutboundGuard } from '@postern/outbound';
import {
  type BuildOrder,
  imageReferenceIn,
  type ResolvedSource,
  type Source,
  SourceUnavailable,
} from '@postern/runtime';
import {
  architectureOf,
  type ImageManifest,
  readManifest,
  requirePlatform,
} from '../../infrastructure/registry/image-manifest.js';
import { RegistryReader } from '../../infrastructure/registry/registry-reader.js';

const RESOLVE_MS = 30_000;
const MIB = 2 ** 20;

/** The image of a source; undefined for a repository. */
export const imageIn = ({ repositoryUrl }: Pick<Source, 'repositoryUrl'>): ImageReference | undefined => {
  const reference = imageReferenceIn(repositoryUrl);
  return reference === undefined ? undefined : parseImageReference(reference);
};

/** Images of container registries as sources. */
export class ImageSources {
  constructor(
    private readonly guard: OutboundGuard,
    /** The size of the compressed layers of an image. */
    private readonly maxBytes: number,
  ) {}

  /** The digest that the tag has now. @throws SourceUnavailable, or the signal's reason. */
  async resolve(image: ImageReference, { credentials }: Source, signal: AbortSignal): Promise<ResolvedSource> {
    const limit = AbortSignal.timeout(RESOLVE_MS);
    try {
      return await this.#reading(image, credentials, AbortSignal.any([signal, limit]), async reader => {
        const { digest, content } = await reader.manifest(image.digest ?? image.tag!);
        readManifest(content, architectureOf());
        return { commit: digest };
      });
    } catch (error) {
      if (error !== limit.reason) throw error;
      throw new SourceUnavailable(`the registry ${image.registry} did not answer within ${RESOLVE_MS / 1_000} s`);
    }
  }

  /**
   * Writes the image of the digest to the folder, in the directory format of container tools, and checks it. ONBUILD triggers
   * are left out: they are for images that are built from this one.
   */
  async download(
    image: ImageReference,
    { commit: digest, credentials }: Pick<BuildOrder, 'commit' | 'credentials'>,
    directory: string,
    log: (line: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#reading({ ...image, digest }, credentials, signal, async reader => {
      log(`Pulling ${imageReferenceText({ ...image, digest })}`);
      const manifest = await manifestOf(reader, digest);
      const layers = [...new Map(manifest.layers.map(layer => [layer.digest, layer])).values()];
      const bytes = layers.reduce((sum, { size }) => sum + size, 0);
      if (bytes > this.maxBytes) throw tooLarge(bytes, this.maxBytes);
      const configuration = await reader.blob(manifest.config);
      requirePlatform(configuration, architectureOf());
      log(`linux/${architectureOf()}, ${layers.length} layers, ${Math.ceil(bytes / MIB)} MiB`);
      for (const layer of layers) await reader.download(layer, join(directory, fileOf(layer.digest)));
      await writeImage(directory, manifest, withoutTriggers(configuration));
    });
  }

  async #reading<T>(
    image: ImageReference,
    credentials: Source['credentials'],
    signal: AbortSignal,
    read: (reader: RegistryReader) => Promise<T>,
  ): Promise<T> {
    const login = credentials?.https && { username: credentials.https.username, password: credentials.https.token };
    const reader = new RegistryReader(this.guard, image, login, signal);
    try {
      return await read(reader);
    } finally {
      await reader.close();
    }
  }
}

const manifestOf = async (reader: RegistryReader, digest: string): Promise<ImageManifest> => {
  const found = readManifest((await reader.manifest(digest)).content, architectureOf());
  if ('image' in found) return found.image;
  const chosen = readManifest((await reader.manifest(found.digest)).content, architectureOf());
  if ('image' in chosen) return chosen.image;
  throw new SourceUnavailable('the index of this image leads to another index');
};

/** The name of a blob in the directory format. */
const fileOf = (digest: string): string => digest.slice('sha256:'.length);

const writeImage = async (directory: string, manifest: ImageManifest, configuration: Buffer): Promise<void> => {
  const digest = `sha256:${createHash('sha256').update(configuration).digest('hex')}`;
  const config = { ...manifest.config, digest, size: configuration.length };
  await writeFile(join(directory, fileOf(digest)), configuration);
  await writeFile(join(directory, 'manifest.json'), JSON.stringify({ schemaVersion: 2, ...manifest, config }));
  await writeFile(join(directory, 'version'), 'Directory Transport Version: 1.1\n');
};

const withoutTriggers = (configuration: Buffer): Buffer => {
  const document = JSON.parse(configuration.toString('utf8')) as { config?: Record<string, unknown> };
  const { OnBuild: _, ...config } = document.config ?? {};
  return Buffer.from(JSON.stringify({ ...document, config }));
};

const tooLarge = (bytes: number, maxBytes: number): SourceUnavailable =>
  new SourceUnavailable(
    `the image is too large: its layers have ${Math.ceil(bytes / MIB)} MiB, and ${Math.floor(maxBytes / MIB)} MiB are possible; use a smaller variant, such as -slim or -alpine`,
  );
