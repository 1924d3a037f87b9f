import { z } from 'zod';

/** A container image by the grammar of Docker and OCI: `registry/repository:tag@digest`. */
export interface ImageReference {
  /** Host and port, such as `ghcr.io`; `docker.io` if the reference names none. */
  readonly registry: string;
  /** Such as `library/nginx`. */
  readonly repository: string;
  /** Undefined only beside a digest; otherwise `latest` if the reference names none. */
  readonly tag: string | undefined;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string | undefined;
}

const MAX_NAME_LENGTH = 255;
const MAX_PORT = 65_535;

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const REGISTRY = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::([0-9]{1,5}))?$`);
const COMPONENT = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const DIGEST = /^sha256:[a-f0-9]{64}$/;

const DOCKER_HUB = 'docker.io';

/** @returns the parts of the reference, or why it is invalid. */
export const readImageReference = (text: string): ImageReference | { readonly problem: string } => {
  if (/^[a-z][a-z0-9+-]*:\/\//i.test(text)) return { problem: 'must not begin with a scheme such as https://' };
  if (/\s/.test(text)) return { problem: 'must not contain spaces' };
  const [named = '', digest, ...more] = text.split('@');
  if (digest !== undefined && (more.length > 0 || !DIGEST.test(digest)))
    return { problem: 'must have sha256: and 64 lowercase hexadecimal digits after @' };
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  const [name, given] = colon < 0 ? [named, undefined] : [named.slice(0, colon), named.slice(colon + 1)];
  if (given !== undefined && !TAG.test(given))
    return { problem: 'must have a tag of 1 to 128 letters, digits, _, . and - after the colon' };
  const place = placeOf(name);
  const tag = given ?? (digest === undefined ? 'latest' : undefined);
  return 'problem' in place ? place : { ...place, tag, digest };
};

/** The first part is a registry if it cannot be a part of a repository of Docker Hub. */
const placeOf = (name: string): Pick<ImageReference, 'registry' | 'repository'> | { readonly problem: string } => {
  const [first = '', ...rest] = name.split('/');
  const hasRegistry = rest.length > 0 && (/[.:A-Z]/.test(first) || first === 'localhost');
  const host = hasRegistry ? first : DOCKER_HUB;
  const registry = host === 'index.docker.io' ? DOCKER_HUB : host.toLowerCase();
  const path = hasRegistry ? rest : [first, ...rest];
  const port = REGISTRY.exec(registry);
  if (!port || Number(port[1] ?? 1) > MAX_PORT || port[1] === '0')
    return { problem: 'must begin with the name of a registry, such as ghcr.io or registry.example.com:5000' };
  if (path.some(component => /[A-Z]/.test(component))) return { problem: 'must have a repository name in lower case' };
  if (!path.every(component => COMPONENT.test(component)))
    return { problem: 'must be a reference such as registry.example.com/shop/web:1.4' };
  if (path.length === 1 && /^[a-f0-9]{64}$/.test(path[0] ?? ''))
    return { problem: 'must be the name of an image, not its id' };
  const repository = registry === DOCKER_HUB && path.length === 1 ? `library/${path[0]}` : path.join('/');
  if (registry.length + repository.length + 1 > MAX_NAME_LENGTH)
    return { problem: `must have a name of at most ${MAX_NAME_LENGTH} characters` };
  return { registry, repository };
};

/** @throws if the reference is invalid. */
export const parseImageReference = (text: string): ImageReference => {
  const reference = readImageReference(text);
  if ('problem' in reference) throw new Error(`${text} is not a reference of an image: it ${reference.problem}`);
  return reference;
};

/** The reference in full, with everything that it names. */
export const imageReferenceText = ({ registry, repository, tag, digest }: ImageReference): string =>
  `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;

export const imageReference = z
  .string()
  .min(1)
  .max(512)
  .superRefine((text, context) => {
    const reference = readImageReference(text);
    if ('problem' in reference) context.addIssue({ code: 'custom', message: reference.problem });
  });
