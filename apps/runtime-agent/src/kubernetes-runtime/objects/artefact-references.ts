/** Stands where a tag would. Container engines ignore a tag beside a digest, so the reference stays that of the image. */
const BY_DOCKERFILE = ':dockerfile@';

export interface BuiltImage {
  /** The repository and the digest, as `registry.example.com/web@sha256:…`. */
  readonly image: string;
  /** Whether a Dockerfile of the source has built it: then it says itself how it is started. */
  readonly isByDockerfile: boolean;
}

/** Under which the platform stores an image. */
export const referenceOf = ({ image, isByDockerfile }: BuiltImage): string =>
  isByDockerfile ? image.replace('@', BY_DOCKERFILE) : image;

export const imageOf = (reference: string): BuiltImage => ({
  image: reference.replace(BY_DOCKERFILE, '@'),
  isByDockerfile: reference.includes(BY_DOCKERFILE),
});
