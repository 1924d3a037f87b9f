import { SourceUnavailable } from '@postern/runtime';
import { z } from 'zod';

const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const IMAGE_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
] as const;
/** The documents that describe an image, by preference. */
export const MANIFEST_TYPES: readonly string[] = [...INDEX_TYPES, ...IMAGE_TYPES];

const MAX_PARTS = 1_000;

const digest = z.string().regex(/^sha256:[a-f0-9]{64}$/);
const descriptor = z.object({ mediaType: z.string().max(255).optional(), digest, size: z.int().min(0) });
const platform = z.object({ os: z.string().max(64), architecture: z.string().max(64) });

const imageManifest = z.object({
  mediaType: z.enum(IMAGE_TYPES).optional(),
  config: descriptor,
  layers: z.array(descriptor).max(MAX_PARTS),
});
const imageIndex = z.object({
  manifests: z.array(descriptor.extend({ platform: platform.optional() })).max(MAX_PARTS),
});

/** The configuration and the layers of one image. */
export type ImageManifest = z.output<typeof imageManifest>;
type Platform = z.output<typeof platform>;

/** The image of a manifest, or the digest of the one for this machine in an index. @throws SourceUnavailable */
export const readManifest = (
  content: Buffer,
  architecture: string,
): { readonly image: ImageManifest } | { readonly digest: string } => {
  const document = parsed(content);
  const image = imageManifest.safeParse(document);
  if (image.success) return { image: image.data };
  const index = imageIndex.safeParse(document);
  if (!index.success) throw new SourceUnavailable(NOT_AN_IMAGE);
  const manifests = index.data.manifests.filter(each => each.platform !== undefined);
  const found = manifests.find(each => isFor(each.platform, architecture));
  if (found) return { digest: found.digest };
  throw otherPlatform(
    manifests.map(each => each.platform!),
    architecture,
  );
};

const configuration = platform.partial();

/** @throws SourceUnavailable if the configuration of an image says that it is for other machines. */
export const requirePlatform = (content: Buffer, architecture: string): void => {
  const { success, data } = configuration.safeParse(parsed(content));
  if (!success || data.os === undefined || data.architecture === undefined) throw new SourceUnavailable(NOT_AN_IMAGE);
  const { os, architecture: built } = data;
  if (!isFor({ os, architecture: built }, architecture))
    throw otherPlatform([{ os, architecture: built }], architecture);
};

/** The architecture of this machine, as registries name it. */
export const architectureOf = (nodeName: string = process.arch): string =>
  ({ x64: 'amd64', ia32: '386' })[nodeName] ?? nodeName;

const NOT_AN_IMAGE = 'this is not a container image: its manifest cannot be read, or it is a chart or another artifact';

const isFor = (found: Platform | undefined, architecture: string): boolean =>
  found?.os === 'linux' && found.architecture === architecture;

const otherPlatform = (found: readonly Platform[], architecture: string): SourceUnavailable => {
  const names = [...new Set(found.map(({ os, architecture: built }) => `${os}/${built}`))];
  const known = names.filter(name => name !== 'unknown/unknown').slice(0, 10);
  return new SourceUnavailable(
    `the image is only for ${known.join(', ') || 'unknown machines'}, and this machine is linux/${architecture}: publish it for linux/${architecture}, such as with docker build --platform linux/${architecture}`,
  );
};

const parsed = (content: Buffer): unknown => {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined;
  }
};
