/** The images of the services, built by docker/Dockerfile, on substitutes for its two base images. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../tools.mjs';
import { NODE_CACHE } from '../settings.mjs';
import { digestOf } from './archive.mjs';
import { debianLayer, nodeLayer } from './base-layers.mjs';
import { BuildKit } from './buildkit.mjs';
import { hasLayer, layer } from './layers.mjs';
import { keyOf } from './service-key.mjs';

const IMAGES = join(NODE_CACHE, 'images');
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** CA certificates of this machine, in case its network uses a private CA. */
const machineLayer = () =>
  layer('machine', createHash('sha256').update(readFileSync(CERTIFICATES)).digest('hex').slice(0, 16), content => {
    mkdirSync(join(content, 'etc/ssl/certs'), { recursive: true });
    copyFileSync(CERTIFICATES, join(content, CERTIFICATES));
  });

/** Writes an image as a folder of the OCI image layout. @returns {Promise<string>} the digest of its manifest. */
const writeLayout = async (folder, { config, layers }) => {
  const blobs = join(folder, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const add = text => {
    const hex = createHash('sha256').update(text).digest('hex');
    writeFileSync(join(blobs, hex), text);
    return { digest: `sha256:${hex}`, size: Buffer.byteLength(text) };
  };
  const found = [];
  for (const file of layers) {
    const hex = await digestOf(file);
    linkSync(file, join(blobs, hex));
    const mediaType = 'application/vnd.oci.image.layer.v1.tar';
    found.push({ mediaType, digest: `sha256:${hex}`, size: statSync(file).size });
  }
  const rootfs = { type: 'layers', diff_ids: found.map(({ digest }) => digest) };
  const image = add(JSON.stringify({ architecture: 'amd64', os: 'linux', config, rootfs }));
  const manifest = {
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    ...add(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...image },
        layers: found,
      }),
    ),
  };
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
  return manifest.digest;
};

/** Substitutes for NODE_IMAGE and BASE_IMAGE. @returns options of the build. */
const baseOptions = async (debian, folder) => {
  const below = [await debianLayer(debian), await machineLayer()];
  const Env = ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];
  const bases = {
    'node:24.21.0-bookworm-slim': {
      config: { Env: [...Env, `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`] },
      layers: [...below, await nodeLayer()],
    },
    'debian:12.12-slim': { config: { Env }, layers: below },
  };
  const options = [];
  for (const [name, image] of Object.entries(bases)) {
    const [store = ''] = name.split(':');
    const digest = await writeLayout(join(folder, store), image);
    options.push(`--oci-layout=${store}=${join(folder, store)}`);
    options.push(`--opt=context:${name}=oci-layout://${store}@${digest}`);
  }
  return options;
};

/** Stores the layers of an archive from BuildKit in the layer cache. */
const keep = (archive, name) => {
  const folder = mkdtempSync(join(IMAGES, '.unpacked-'));
  try {
    execFileSync('tar', ['-C', folder, '-xf', archive]);
    const [{ Config, Layers }] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const { config } = JSON.parse(readFileSync(join(folder, Config), 'utf8'));
    const layers = Layers.map(path => {
      const file = join(IMAGES, `${path.split('/').at(-1)}.tar`);
      renameSync(join(folder, path), file);
      return file;
    });
    writeFileSync(join(IMAGES, `${name}.json`), JSON.stringify({ config, layers }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(archive, { force: true });
  }
};

const registryOfNpm = () =>
  execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    cwd: homedir(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Whether the build cache has images of the services; a rebuild after a change then takes a minute or two. */
export const areImagesCached = apps => {
  const files = existsSync(IMAGES) ? readdirSync(IMAGES) : [];
  const isBuilt = app => files.some(file => file.startsWith(`${app}-`) && file.endsWith('.json'));
  return ['debian', 'debian-postgresql-client', 'node', 'buildkit'].every(hasLayer) && apps.every(isBuilt);
};

/** Builds what has changed. @returns {Promise<Record<string, any>>} configuration and layers by service. */
export const builtImages = async ({ debian, programs, folder }, apps) => {
  mkdirSync(IMAGES, { recursive: true });
  const files = Object.fromEntries(apps.map(app => [app, `${app}-${keyOf(app)}`]));
  const missing = apps.filter(app => !existsSync(join(IMAGES, `${files[app]}.json`)));
  if (missing.length > 0) {
    const work = join(folder, 'builds');
    const buildkit = await BuildKit.start({ programs, debian }, work);
    try {
      const shared = [
        ...['context', 'dockerfile'].map(name => `--local=${name}=${name === 'context' ? ROOT : join(ROOT, 'docker')}`),
        `--opt=build-arg:NPM_CONFIG_REGISTRY=${registryOfNpm().trim()}`,
        ...(await baseOptions(debian, work)),
      ];
      for (const app of missing) {
        process.stdout.write(`building docker/Dockerfile for ${app} … `);
        const [start, archive] = [performance.now(), join(work, `${app}.tar`)];
        const output = `--output=type=docker,dest=${archive},compression=uncompressed,force-compression=true`;
        await buildkit.build(...shared, `--opt=build-arg:APP=${app}`, output);
        keep(archive, files[app]);
        console.log(`${Math.round((performance.now() - start) / 1_000)} s`);
      }
    } finally {
      await buildkit.stop();
    }
  }
  return Object.fromEntries(
    apps.map(app => [app, JSON.parse(readFileSync(join(IMAGES, `${files[app]}.json`), 'utf8'))]),
  );
};
