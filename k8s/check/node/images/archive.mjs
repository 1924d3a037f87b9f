/** Writes images in the format of `docker save`, which `ctr images import` reads. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const digests = new Map();
/** @returns {Promise<string>} SHA-256 in hexadecimal; each file is read once. */
export const digestOf = async file => {
  if (!digests.has(file)) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    digests.set(file, hash.digest('hex'));
  }
  return digests.get(file);
};

/** Layers that images share are stored once. @param images of `{ name, config, layers }`. */
export const writeArchive = async (target, images, folder) => {
  const work = mkdtempSync(join(folder, '.archive-'));
  const files = new Set();
  const manifest = [];
  try {
    for (const { name, config, layers } of images) {
      const found = await Promise.all(layers.map(digestOf));
      for (const [index, digest] of found.entries()) {
        if (!files.has(`${digest}.tar`)) linkSync(layers[index], join(work, `${digest}.tar`));
        files.add(`${digest}.tar`);
      }
      const rootfs = { type: 'layers', diff_ids: found.map(digest => `sha256:${digest}`) };
      const history = layers.map(() => ({ created_by: 'postern' }));
      const text = JSON.stringify({ architecture: 'amd64', os: 'linux', config, rootfs, history });
      const configFile = `${createHash('sha256').update(text).digest('hex')}.json`;
      writeFileSync(join(work, configFile), text);
      files.add(configFile);
      manifest.push({ Config: configFile, RepoTags: [name], Layers: found.map(digest => `${digest}.tar`) });
    }
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
    execFileSync('tar', ['-C', work, '-cf', target, 'manifest.json', ...files]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};
