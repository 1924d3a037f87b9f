#!/usr/bin/env node
/**
 * `node tools/releases/release.mjs <service> [--dry-run]`: releases one service from its version plans. It raises the
 * version, checks the contract against every release that may run beside it, keeps what this one promises, writes the
 * changelog, commits and tags. Nothing of another service changes. What fails leaves the checkout as it was.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ReleaseClient } from 'nx/release/index.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const PLANS = join(ROOT, '.nx/version-plans');
const { release } = JSON.parse(readFileSync(join(ROOT, 'nx.json'), 'utf8'));

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } });
const [service, ...more] = positionals;
if (!service || more.length > 0 || !release.projects.includes(service)) {
  console.error(`say which one to release: ${release.projects.join(', ')}`);
  process.exit(2);
}
process.chdir(ROOT);
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const contracts = (...args) =>
  execFileSync(process.execPath, ['tools/releases/contracts.mjs', ...args], { cwd: ROOT, stdio: 'inherit' });

/** Plan files that speak of this service. A file for several would release them together, or be lost for the others. */
const plansOf = () => {
  if (!existsSync(PLANS)) return [];
  const files = readdirSync(PLANS, { withFileTypes: true }).filter(entry => entry.name.endsWith('.md'));
  return files.flatMap(({ name }) => {
    const path = join(PLANS, name);
    const front = readFileSync(path, 'utf8').split(/^---\s*$/m)[1] ?? '';
    const named = front.split('\n').flatMap(line => /^['"]?([\w-]+)['"]?\s*:/.exec(line)?.[1] ?? []);
    if (!named.includes(service)) return [];
    if (named.length > 1) throw new Error(`${name} plans ${named.join(' and ')}: write one plan for each of them`);
    return [path];
  });
};

if (git('status', '--porcelain') !== '') throw new Error('commit or put away what is not committed first');
const before = git('rev-parse', 'HEAD');
const plans = plansOf();
if (plans.length === 0) throw new Error(`nothing is planned for ${service}: nx release plan --projects ${service}`);

try {
  const client = new ReleaseClient({});
  const options = {
    projects: [service],
    dryRun: values['dry-run'] ?? false,
    verbose: false,
    gitCommit: false,
    gitTag: false,
  };
  const { projectsVersionData, releaseGraph } = await client.releaseVersion({ ...options, stageChanges: false });
  const { newVersion } = projectsVersionData[service];
  const tag = `${service}@${newVersion}`;
  if (!options.dryRun) {
    contracts('check', '--releasing', service);
    contracts('record', service);
  }
  await client.releaseChangelog({
    ...options,
    releaseGraph,
    versionData: projectsVersionData,
    stageChanges: false,
    deleteVersionPlans: false,
  });
  if (!options.dryRun) {
    for (const plan of plans) rmSync(plan);
    git('add', '--all');
    git('commit', '--quiet', '--message', `${service} ${newVersion} is released`);
    git('tag', '--annotate', tag, '--message', tag);
    console.log(`released ${tag}; push the commit with it, build its image, and roll out that one service`);
  }
} catch (error) {
  git('reset', '--quiet', '--hard', before);
  git('clean', '--quiet', '--force', '--', 'apps', 'tools', 'libs/contracts/released');
  throw error;
}
