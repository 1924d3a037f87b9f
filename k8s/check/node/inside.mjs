/** The first program in the namespaces of a run: starts the cluster and runs the stages in sequence. */
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { programFolders, startCluster } from './cluster.mjs';
import { makeControlGroups } from './control-groups.mjs';
import { installDns } from './dns.mjs';
import { importImages } from './images/import.mjs';
import { hideMachine, makeNetwork } from './namespaces.mjs';
import { environmentOf } from './packages.mjs';
import { enforcePolicies } from './policy-agent.mjs';
import { KEEP, NODE_CACHE } from './settings.mjs';
import { NEEDED_BY_ALL, STAGES } from './stages.mjs';
import { Supervised } from './supervised.mjs';

const [folder = '', ...args] = process.argv.slice(2);
const wanted = args.filter(name => name !== KEEP);
const { programs, debian, published, helm, gatewayApi } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));

const timed = async (title, work) => {
  const start = performance.now();
  console.log(`▸ ${title}`);
  const result = await work();
  console.log(`  ${title}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  return result;
};

const up = async () => {
  hideMachine(folder);
  makeNetwork();
  makeControlGroups(basename(folder));
  mkdirSync(join(folder, 'logs'));
  const environment = environmentOf(debian, programFolders(programs));
  Object.assign(process.env, environment);
  const supervised = new Supervised(join(folder, 'logs'), environment);
  const cluster = await startCluster({ folder, programs, debian, supervised });
  const policies = enforcePolicies(cluster, error => supervised.fail('the enforcement of NetworkPolicies', error));
  return { cluster, policies, supervised, folder, programs, debian, published, helm, gatewayApi, state: {} };
};

const runStage = async (context, { name, title, run }) => {
  try {
    await timed(`${name}: ${title}`, () => run(context));
    context.supervised.assertRunning();
    return true;
  } catch (error) {
    console.error(`  ✗ ${name}: ${error.stack}`);
    const { printDiagnostics } = await import('./diagnostics.mjs');
    await printDiagnostics(context).catch(failure => console.error(`  no diagnostics: ${failure.message}`));
    return false;
  }
};

const isUp = ({ supervised }) => {
  try {
    supervised.assertRunning();
    return true;
  } catch {
    return false;
  }
};

/** Runs every stage, even if another has failed, unless it depends on the failed stage or the cluster has stopped. */
const runStages = async context => {
  /** @type {string[][]} */
  const [failed = [], left = []] = [[], []];
  const chosen = [...NEEDED_BY_ALL, ...wanted];
  const stages = STAGES.filter(({ name }) => wanted.length === 0 || chosen.includes(name));
  for (const stage of stages)
    if (!isUp(context) || NEEDED_BY_ALL.some(name => failed.includes(name))) left.push(stage.name);
    else if (!(await runStage(context, stage))) failed.push(stage.name);
  const passed = stages.length - failed.length - left.length;
  console.log(`${passed} of ${stages.length} stages passed`);
  if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
  if (left.length > 0) console.error(`not run: ${left.join(', ')}`);
  return failed.length + left.length === 0 ? 0 : 1;
};

/** Waits for a termination signal. */
const keep = ({ programs }) => {
  console.log('The cluster runs until this command is stopped. From another shell:');
  console.log(
    `nsenter -t $(pgrep -xn kubelet) -n -m ${programs.kubectl} --kubeconfig ${folder}/admin.kubeconfig get pods -A`,
  );
  return new Promise(() => setInterval(() => {}, 60_000));
};

const main = async () => {
  const namespaces = ['ipc', 'mnt', 'net', 'pid', 'uts'].map(kind => readlinkSync(`/proc/self/ns/${kind}`));
  // Written next to the folder, which is removed before the state of the machine is compared.
  writeFileSync(join(NODE_CACHE, `${basename(folder)}.namespaces`), namespaces.join('\n'));
  const context = await timed('a cluster of one node', up);
  await timed('images', () => importImages(context));
  await timed('cluster DNS', () => installDns(context));
  const code = await runStages(context);
  if (args.includes(KEEP)) await keep(context);
  return code;
};

process.exit(
  await main().catch(error => {
    console.error(error);
    return 1;
  }),
);
