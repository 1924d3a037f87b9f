#!/usr/bin/env node
/**
 * `node tools/releases/publish.mjs <service>@<version> --to <registry> --key <file> --sbom <file> --layout <folder>…`: pushes the
 * image of a release for all architectures, its list of packages and its chart, signs each, and writes what was published to
 * `published/<service>@<version>.json` (docs/releases.md).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pushLayouts } from './oci-layout.mjs';
import { pushChart } from './push-chart.mjs';
import { Repository } from './registry.mjs';
import { attachSbom, sign } from './signature.mjs';
import { fail, ROOT } from './worktree.mjs';

const USAGE =
  'usage: publish.mjs <service>@<version> --to <registry> --key <private key> --sbom <file> --layout <folder> [--layout <folder>] [--architectures amd64,arm64]';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    to: { type: 'string' },
    key: { type: 'string' },
    sbom: { type: 'string' },
    layout: { type: 'string', multiple: true, default: [] },
    chart: { type: 'string' },
    architectures: { type: 'string', default: 'amd64,arm64' },
  },
});
const [tag = '', ...more] = positionals;
const { to, key, sbom, layout } = values;
if (!/^[a-z-]+@\d+\.\d+\.\d+/.test(tag) || more.length > 0 || !to || !key || !sbom || layout.length === 0)
  fail(USAGE, 2);
const [service, version] = tag.split('@');

/** Packs the chart of the release with the digest of its image. @returns the archive */
const packChart = digest => {
  const chart = join(ROOT, `charts/${service}-${version}.tgz`);
  execFileSync(process.execPath, ['tools/releases/chart.mjs', tag, '--digest', digest], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  return chart;
};

try {
  const privateKey = readFileSync(key);
  const images = new Repository(`${to}/${service}`);
  const options = { tag: version, architectures: values.architectures.split(',') };
  const { digest, architectures } = await pushLayouts(images, layout, options);
  await sign(images, digest, privateKey);
  await attachSbom(images, digest, readFileSync(sbom), privateKey);
  console.log(`pushed ${images.name}@${digest} for ${architectures.join(' and ')}`);
  const published = { service, version, image: { repository: images.name, digest, architectures } };
  // The load balancer runs on one server only.
  if (existsSync(join(ROOT, `k8s/values/${service}.yaml`))) {
    const charts = new Repository(`${to}/charts/${service}`);
    const chart = await pushChart(charts, values.chart ?? packChart(digest));
    await sign(charts, chart.digest, privateKey);
    published.chart = { repository: charts.name, version, digest: chart.digest };
    console.log(`pushed the chart ${charts.name}@${chart.digest}`);
  }
  mkdirSync(join(ROOT, 'published'), { recursive: true });
  writeFileSync(join(ROOT, `published/${tag}.json`), `${JSON.stringify(published, null, 2)}\n`);
} catch (error) {
  fail(error.message);
}
