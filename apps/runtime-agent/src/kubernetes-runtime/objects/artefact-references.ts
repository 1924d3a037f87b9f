/** Takes the place of a tag. Container engines ignore a tag beside a digest, so the reference stays valid. */
const BY_DOCKERFILE = ':dockerfile@';

export interface BuiltImage {
  /** The repository and the digest, such as `registry.example.com/web@sha256:…`. */
  readonly image: string;
  /** Whether a Dockerfile of the source has built it: then the image itself defines how it is started. */
  readonly isByDockerfile: boolean;
}

/** The reference with which the platform stores an image. */
export const referenceOf = ({ image, isByDockerfile }: BuiltImage): string =>
  isByDockerfile ? image.replace('@', BY_DOCKERFILE) : image;

export const imageOf = (reference: string): BuiltImage => ({
  image: reference.replace(BY_DOCKERFILE, '@'),
  isByDockerfile: reference.includes(BY_DOCKERFILE),
});
