import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Repository } from './registry.mjs';
import { verify } from './signature.mjs';

/** The names of architectures in images, by those of Node.js. */
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
/** The folder of the service in its image (docker/Dockerfile). */
const FOLDER = /^(?:\.\/)?postern\/./;

/** Unpacks the files of the service in a layer. @returns whether there are any; the layers of the system have none. */
const unpackLayer = (archive, target) => {
  const listed = execFileSync('tar', ['--list', '--file', archive], { encoding: 'utf8', maxBuffer: 256 * 1024 ** 2 });
  const paths = listed.split('\n').filter(path => FOLDER.test(path));
  if (paths.some(path => /(^|\/)\.wh\./.test(path))) throw new Error('a layer removes files of the one below it');
  if (paths.length === 0) return false;
  const [first] = paths;
  const root = first.startsWith('./') ? './postern' : 'postern';
  const strip = `--strip-components=${root.split('/').length}`;
  execFileSync('tar', ['--extract', '--no-same-owner', strip, '--file', archive, '--directory', target, root]);
  return true;
};

/**
 * Writes what a published image contains of Postern to the folder `target`: the service with its packages.
 * @param architecture that of Node.js, such as x64
 * @param key the public key (PEM) @param known digests of layers without such files, which are not read again
 * @throws unless the image is signed with the key, and has the architecture
 */
export const unpackImage = async ({ service, version, image }, target, { architecture, key, known }) => {
  const images = new Repository(image.repository);
  await verify(images, image.digest, key);
  const { manifests = [] } = await images.manifest(image.digest);
  const wanted = ARCHITECTURES[architecture] ?? architecture;
  const found = manifests.find(({ platform }) => platform?.architecture === wanted);
  if (!found) throw new Error(`${service}@${version} has no image for ${wanted}`);
  const { layers } = await images.manifest(found.digest);
  const temporary = mkdtempSync(join(tmpdir(), 'postern-layer-'));
  mkdirSync(target, { recursive: true });
  try {
    for (const { digest } of layers.filter(layer => !known.has(layer.digest))) {
      const archive = join(temporary, 'layer');
      writeFileSync(archive, await images.blob(digest));
      if (!unpackLayer(archive, target)) known.add(digest);
    }
  } catch (error) {
    throw new Error(`${service}@${version} cannot be unpacked: ${error.message}`, { cause: error });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
};
