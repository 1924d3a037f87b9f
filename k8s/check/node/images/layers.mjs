/** Image layers, created once and cached as tar files whose names contain the key of their content. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_CACHE } from '../settings.mjs';

const TAR = ['--numeric-owner', '--sort=name', '--xattrs', '--xattrs-include=*'];

const filled = async (content, file, fill) => {
  try {
    execFileSync('chmod', ['755', content]);
    await fill(content);
    execFileSync('tar', [...TAR, '-C', content, '-cf', `${content}.tar`, '.']);
    renameSync(`${content}.tar`, file);
  } finally {
    rmSync(content, { recursive: true, force: true });
    rmSync(`${content}.tar`, { force: true });
  }
  return file;
};

const LAYERS = join(NODE_CACHE, 'layers');

/** Whether a layer is cached, possibly with other content. */
export const hasLayer = name => existsSync(LAYERS) && readdirSync(LAYERS).some(file => file.startsWith(`${name}-`));

/** A layer for a single run. @returns {Promise<string>} the tar file, in the folder of the run. */
export const layerIn = (folder, name, fill) =>
  filled(mkdtempSync(join(folder, `.${name}-`)), join(folder, `${name}.tar`), fill);

/**
 * @param key of everything that decides the content.
 * @param fill writes the content into a folder.
 * @returns {Promise<string>} the tar file.
 */
export const layer = async (name, key, fill) => {
  const file = join(LAYERS, `${name}-${key}.tar`);
  if (existsSync(file)) return file;
  mkdirSync(LAYERS, { recursive: true });
  const content = mkdtempSync(join(LAYERS, `.${name}-`));
  process.stdout.write(`making the layer ${name} … `);
  const start = performance.now();
  await filled(content, file, fill);
  console.log(`${Math.round((performance.now() - start) / 1_000)} s`);
  return file;
};
