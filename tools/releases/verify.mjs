#!/usr/bin/env node
/**
 * `node tools/releases/verify.mjs <published file or set> --key <public key>`: reads what was published back from its registry by
 * digest, and checks every signature, architecture and list of packages.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { INDEX, Repository } from './registry.mjs';
import { readPublished } from './set-file.mjs';
import { sbomOf, verify } from './signature.mjs';
import { fail } from './worktree.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { key: { type: 'string' } } });
const [file, ...more] = positionals;
if (!file || more.length > 0 || !values.key) fail('usage: verify.mjs <published file or set> --key <public key>', 2);

const verifyRelease = async ({ service, version, image, chart }, key) => {
  const images = new Repository(image.repository);
  await verify(images, image.digest, key);
  const { mediaType, manifests = [] } = await images.manifest(image.digest);
  const architectures = manifests.map(({ platform }) => platform.architecture).sort();
  if (mediaType !== INDEX || architectures.join() !== image.architectures.join())
    throw new Error(`${service}@${version} is for ${architectures.join(', ')}, not ${image.architectures.join(', ')}`);
  for (const { digest } of manifests) {
    const { config, layers } = await images.manifest(digest);
    for (const { digest: content } of [config, ...layers]) await images.blob(content);
  }
  const { components = [] } = await sbomOf(images, image.digest, key);
  if (chart) {
    const charts = new Repository(chart.repository);
    await verify(charts, chart.digest, key);
    const { layers } = await charts.manifest(chart.digest);
    await charts.blob(layers[0].digest);
  }
  const what = `${architectures.join(' and ')}, ${components.length} packages${chart ? ', and its chart' : ''}`;
  console.log(`${service}@${version} is signed: ${what}`);
};

try {
  const key = readFileSync(values.key);
  for (const release of readPublished(file)) await verifyRelease(release, key);
} catch (error) {
  fail(error.message);
}
