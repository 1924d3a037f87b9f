#!/usr/bin/env node
/**
 * `node tools/releases/chart.mjs <service>@<version> [--digest sha256:…]`: packs the chart of a release from its tag into the
 * folder `charts`. `helm push` publishes it to an OCI registry (docs/releases.md).
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeChart } from './chart-folder.mjs';
import { fail, git, inWorktreeOf, ROOT, run } from './worktree.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { digest: { type: 'string' } } });
const [tag = '', ...more] = positionals;
if (!/^[a-z-]+@\d+\.\d+\.\d+/.test(tag) || more.length > 0)
  fail('usage: chart.mjs <service>@<version> [--digest <digest of its image>], such as email-send@0.2.0', 2);
if (values.digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(values.digest))
  fail(`${values.digest} is not a digest, sha256: and 64 hexadecimal digits`, 2);

const [service, version] = tag.split('@');
const temporary = mkdtempSync(join(tmpdir(), 'postern-chart-'));
try {
  const commit = git(ROOT, 'rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`);
  const chart = join(temporary, service);
  await inWorktreeOf(commit, async folder => writeChart(folder, chart, { service, version, digest: values.digest }));
  const target = join(ROOT, 'charts');
  mkdirSync(target, { recursive: true });
  await run('helm', ['package', chart, '--destination', target], { cwd: ROOT });
} catch (error) {
  fail(error.message);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
