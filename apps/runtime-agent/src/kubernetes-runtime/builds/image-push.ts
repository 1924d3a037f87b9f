import { readFileSync, writeFileSync } from 'node:fs';
import { credentialsIn } from '../../infrastructure/registry/registry-access.js';
import { OciArchive } from './oci-archive.js';
import { RegistryPush } from './registry-push.js';

/**
 * Pushes the image archive of a build, in a container without code of the build. Its termination message is the
 * digest of the image, or why there is none. It is bundled, because the container gets it as a single file (`nx
 * bundle runtime-agent`).
 */
const variable = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

const credentialsFile = process.env['POSTERN_CREDENTIALS'];
const repository = variable('POSTERN_REPOSITORY');
const message = variable('POSTERN_MESSAGE');

const push = async (): Promise<string> => {
  const credentials = credentialsFile && credentialsIn(readFileSync(credentialsFile, 'utf8'), repository);
  const registry = new RegistryPush(
    repository,
    process.env['POSTERN_INSECURE'] === 'true',
    credentials === '' ? undefined : credentials,
  );
  const image = await OciArchive.open(variable('POSTERN_ARCHIVE'));
  try {
    await registry.push(image, variable('POSTERN_TAG'));
    return image.digest;
  } finally {
    await image.close();
  }
};

await push().then(
  digest => writeFileSync(message, digest),
  (error: Error & { code?: string }) => {
    const reason = error.message === '' ? (error.code ?? 'the push failed without an error message') : error.message;
    writeFileSync(message, reason);
    console.log(reason);
    process.exitCode = 1;
  },
);
