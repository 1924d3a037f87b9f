import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { BalancerProcess, request } from '@postern/load-balancer-client/testing';
import { OutboundGuard } from '@postern/outbound';
import type { BuildOrder } from '@postern/runtime';
import { concurrentBuildsOf } from '@postern/service-host/config';
import { assembleLocalRuntime, LIMITS } from '../local-runtime/assemble-local-runtime.js';
import { assembleLocalBuilds } from '../local-runtime/build/assemble-local-builds.js';
import { buildMemoryBytes } from '../local-runtime/build/build-limits.js';
import type { LocalRuntime } from '../local-runtime/local-runtime.js';
import { redactor } from '../local-runtime/redactor.js';
import { testNetworks } from '../local-runtime/testing/test-networks.js';
import { copyRepository, sampleRepositories } from './sample-repositories.js';
import { measuredIn, type SampleResult, writeResult } from './sample-table.js';

/**
 * Builds and starts every Git repository of a folder without changes, requests `/`, and keeps a table of the results.
 * A repository that has a row in the table is measured again only if it is named as an argument.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { table: { type: 'string', default: 'sample-applications.md' } },
});
const [folder, ...only] = positionals;
if (folder === undefined) {
  process.stderr.write('Usage: npm run samples -- <folder of clones> [owner/name …] [--table <file>]\n');
  process.exit(2);
}
const never = new AbortController().signal;
const BUILD_MS = 30 * 60_000;
const START_MS = 4 * 60_000;
const RULE = / found|holds the only project|package\.json (names|asks|has)|^Procfile|^Starts by|^Serves the/;

const measure = async (runtime: LocalRuntime, repository: string, url: string): Promise<SampleResult> => {
  const webServiceId = randomUUID();
  const began = performance.now();
  let commit = '';
  const result = async (serves: boolean, reason: string): Promise<SampleResult> => {
    const seconds = Math.round((performance.now() - began) / 1_000);
    const lines = await runtime.logs(webServiceId, { tail: 10_000, since: undefined });
    const build = lines.filter(({ stream }) => stream === 'build').map(({ message }) => message);
    if (!serves)
      process.stderr.write(
        `${lines
          .slice(-60)
          .map(({ message }) => `  ${message}\n`)
          .join('')}`,
      );
    return { repository, commit, rules: build.filter(line => RULE.test(line)), serves, reason, seconds };
  };
  const output = runtime.logWriter(webServiceId, 'build', []);
  try {
    ({ commit } = await runtime.resolveSource({ repositoryUrl: url, branch: undefined }, never));
    const order: BuildOrder = {
      ...{ deploymentId: randomUUID(), webServiceId, repositoryUrl: url, commit, deadlineMs: BUILD_MS },
      ...{ buildCommand: undefined, startCommand: undefined, environment: {}, secrets: [] },
    };
    const artefact = await runtime.build(order, output, never).finally(() => output.close());
    const how = { port: 8080, healthCheckPath: undefined, minInstances: 1, maxInstances: 1, startCommand: undefined };
    const plan = { webServiceId, name: 'sample', rollId: randomUUID(), artefact, ...how, environment: {}, secrets: [] };
    await runtime.roll({ ...plan, deadlineMs: START_MS }, never);
    const { status, body } = await request(await runtime.urlOf(webServiceId, 'sample'));
    const title = /<title[^>]*>([^<]*)</i.exec(body)?.[1]?.trim() || body.trim().slice(0, 80);
    return await result(status >= 200 && status < 400, `${status} ${title}`);
  } catch (error) {
    return await result(false, (error as Error).message);
  } finally {
    await runtime.remove(webServiceId).catch(() => {});
  }
};

const copies = await mkdtemp(join(tmpdir(), 'postern-samples-'));
await chmod(copies, 0o755);
const balancer = await BalancerProcess.start();
const { home } = balancer;
const log = { info() {}, warn: (_: object, line: string) => process.stderr.write(`${line}\n`), error() {} };
const guard = new OutboundGuard({ allowPrivate: true });
const network = await testNetworks(home);
const limits = { memoryBytes: buildMemoryBytes(totalmem(), concurrentBuildsOf(undefined)) };
const about = { platformHome: home, allowFileRepositories: true, guard, instanceLimits: LIMITS, network, log };
const runtime = assembleLocalRuntime({ ...about, redactor, ...(await assembleLocalBuilds({ ...about, limits })) });
try {
  const measured = await measuredIn(values.table);
  for (const { name, gitDirectory } of await sampleRepositories(folder)) {
    if (only.length > 0 ? !only.includes(name) : measured.has(name)) continue;
    const copy = join(copies, name.replace('/', '+'));
    await copyRepository(gitDirectory, copy);
    const result = await measure(runtime, name, pathToFileURL(copy).href);
    const { serves, reason, seconds } = result;
    process.stdout.write(`${serves ? 'serves' : 'fails '} ${name} (${seconds} s): ${reason}\n`);
    await writeResult(values.table, result);
    await rm(copy, { recursive: true, force: true });
  }
} finally {
  await runtime.reconcile([], new Set());
  await runtime.detach();
  await balancer.stop();
  await rm(copies, { recursive: true, force: true });
}
