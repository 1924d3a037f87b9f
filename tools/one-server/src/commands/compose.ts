import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { RELEASE, readModel } from '../applying/plan.js';
import { ConfigurationError } from '../configuration/read-configuration.js';
import { factsWithoutServers } from '../machine/facts.js';
import { readIfExists, writeDurably } from '../machine/files.js';
import { SecretStore } from '../machine/secret-store.js';
import { COPIED, COPIED_FOR_POSTFIX, type Images, renderCompose } from '../rendering/compose.js';
import { CONTAINERS } from '../rendering/containers.js';
import { type Model, needsDatabase, roleOf, type Service, servicesOf, WITH_DATABASE } from '../rendering/model.js';
import { DATABASE_SECRETS, GENERATED_SECRETS, type SecretName, secretsOf } from '../rendering/secrets.js';
import { UsageError } from '../usage-error.js';

type Print = (line: string) => void;

export interface ComposeOptions {
  /** The file of a set of releases; without it, that of the bundle. */
  readonly set?: string;
  /** Accepts that code of web services can do what the agent can. */
  readonly trustedWebServices?: boolean;
}

/** The user of the images of Postern (docker/Dockerfile). */
const CONTAINER_USER = 10_001;
const ROOT = 0;

/** The file that tools/releases/set.mjs writes. */
const setSchema = z.object({
  version: z.string(),
  releases: z.array(
    z.object({
      service: z.string(),
      version: z.string(),
      image: z.object({ repository: z.string(), digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) }),
    }),
  ),
});

/** The image of each service by version and digest. @throws UsageError with the file, and what it lacks */
export const imagesIn = (text: string, file: string, services: readonly Service[]): Images => {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON. tools/releases/set.mjs writes it as published/postern-<version>.json`);
  }
  const parsed = setSchema.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`${file} is not a set of releases: ${issue?.path.join('.') || 'it'}: ${issue?.message}`);
  }
  return Object.fromEntries(
    services.map(service => {
      const found = parsed.data.releases.find(release => release.service === service);
      if (!found) throw new UsageError(`${file} has no release of ${service}. Use the file of a complete set.`);
      return [service, `${found.image.repository}:${found.version}@${found.image.digest}`];
    }),
  );
};

const readSet = (given: string | undefined, services: readonly Service[]): Images => {
  const file = given ?? join(RELEASE, 'set.json');
  const text = readIfExists(file);
  if (text !== undefined) return imagesIn(text, file, services);
  throw new UsageError(
    given === undefined
      ? 'this release was not built from published images; name the file of a set: --set postern-2026.12.0.json'
      : `${file} does not exist`,
  );
};

const TRUSTED_ONLY =
  'apps: containers do not isolate web services. Their code runs as the user of runtime-agent and can read its NATS password, so it can do what the agent can. Remove "apps", add --trusted-web-services if you trust all of that code, or install Postern on one server (docs/install.md) or on Kubernetes';

/** Passwords as NATS includes them, from the variables of the other kind of installation. */
const natsPasswords = (store: SecretStore): string =>
  (store.read('nats.env' as SecretName) ?? '').replaceAll(
    /^(\w+)=(.*)$/gm,
    (_, name, value) => `${name}: ${JSON.stringify(value)}`,
  );

const databaseUrlOf = (service: Service, store: SecretStore): string => {
  const password = store.read(`database-${service}` as SecretName) ?? '';
  return `postgres://${roleOf(service)}:${password}@postgres/${roleOf(service)}`;
};

interface SecretFile {
  readonly name: string;
  readonly text: string;
  readonly owner: number;
}

/** The secrets of all containers. Compose mounts the files as they are, so each belongs to the user that reads it. */
const secretFiles = ({ configuration }: Model, store: SecretStore): readonly SecretFile[] => {
  const services = servicesOf(configuration);
  const used = new Set<SecretName>([
    ...services.flatMap(service => Object.values(secretsOf(service, configuration))),
    'nats-operator',
  ]);
  const text = (name: SecretName): string => store.read(name) ?? '';
  return [
    ...[...used].map(name => ({ name, text: text(name), owner: CONTAINER_USER })),
    ...services.filter(needsDatabase).map(service => ({
      name: `database-url-${service}`,
      text: databaseUrlOf(service, store),
      owner: CONTAINER_USER,
    })),
    ...WITH_DATABASE.map(service => ({ name: `database-${service}`, text: text(`database-${service}`), owner: ROOT })),
    { name: 'nats-passwords', text: natsPasswords(store), owner: ROOT },
  ];
};

const writeSecrets = (folder: string, secrets: readonly SecretFile[]): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { name, text, owner } of secrets) {
    const file = join(folder, name);
    writeDurably(file, `${text}\n`, 0o400);
    chownSync(file, owner, owner);
  }
};

/** Writes compose.yaml, the files next to it, and its secrets, of which it creates those that are missing. @returns the paths */
export const writeComposition = (
  folder: string,
  model: Model,
  images: Images,
  store: SecretStore,
): readonly string[] => {
  const paths = [...COPIED, ...(model.configuration.mail.send === 'direct' ? COPIED_FOR_POSTFIX : [])];
  const copied = Object.fromEntries(paths.map(path => [path, readFileSync(join(RELEASE, path), 'utf8')]));
  store.generate([...GENERATED_SECRETS, ...DATABASE_SECRETS]);
  store.derive(model.configuration);
  writeSecrets(join(folder, 'secrets'), secretFiles(model, store));
  const files = renderCompose(model, images, copied);
  for (const { path, text, mode } of files) writeDurably(join(folder, path), text, mode);
  return files.map(({ path }) => path);
};

/**
 * `config compose <folder>`: renders config.yaml as compose.yaml, with the files and secrets that its containers read.
 * @throws ConfigurationError or UsageError before anything is written
 */
export const composeConfiguration = (folder: string, options: ComposeOptions, print: Print): void => {
  const model = readModel(factsWithoutServers(), undefined, CONTAINERS);
  if (model.configuration.apps !== undefined && options.trustedWebServices !== true)
    throw new ConfigurationError([TRUSTED_ONLY]);
  const images = readSet(options.set, servicesOf(model.configuration));
  const target = resolve(folder);
  const paths = writeComposition(target, model, images, new SecretStore());
  print(`Wrote ${paths.join(', ')} and secrets to ${target}.`);
  print(`Start the containers: docker compose --project-directory ${target} up --detach`);
};
