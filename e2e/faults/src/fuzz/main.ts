/** `npm run fuzz`: sends random input to every external interface, and checks for crashes, errors and leaks. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { LIFTED_REQUEST_LIMITS, type RunningPostern, startPostern } from '@postern/local-start';
import { SeededRandom } from '../run/random.js';
import { deployHookTarget } from './deploy-hook-target.js';
import { frameTarget } from './frame-target.js';
import { type Bystander, createAttacker, createBystander } from './fuzz-world.js';
import { gitUrlTarget, httpTarget, trackingTarget } from './http-targets.js';
import { logStreamTarget } from './log-stream-target.js';
import { reportTarget, smtpTarget } from './mail-targets.js';
import { PosternObserver } from './observe-postern.js';
import { type FuzzOptions, readFuzzOptions } from './options.js';
import { submissionTarget } from './submission-target.js';
import type { FuzzTarget } from './target.js';

const MAX_PROBLEMS = 20;
/** Longer than the gateway refuses connections of an address that exceeded its limit. */
const SETTLES_MS = 12_000;

/** May publish on every subject, like the worst case of a compromised service. */
const SUPERUSER = { user: 'fuzz', password: `p${randomBytes(16).toString('hex')}` };

const targetsOf = async (postern: RunningPostern, { returnPath }: Bystander): Promise<readonly FuzzTarget[]> => {
  const { port, bouncePort, submissionPort, natsUrl, natsCaFile } = postern.wiring;
  const attacker = await createAttacker(postern);
  const nats = await connect({
    servers: natsUrl,
    tls: { caFile: natsCaFile },
    user: SUPERUSER.user,
    pass: SUPERUSER.password,
  });
  return [
    httpTarget(port, attacker),
    gitUrlTarget(port, attacker),
    trackingTarget(port, attacker),
    smtpTarget(bouncePort, returnPath),
    reportTarget(bouncePort, returnPath),
    frameTarget(nats),
    submissionTarget(submissionPort, attacker),
    deployHookTarget(port, attacker),
    logStreamTarget(port, attacker),
  ];
};

/** Attacks one target until the deadline. Each target has its own random numbers, so timing does not change the input. */
const attack = async (target: FuzzTarget, seed: number, until: number, problems: string[]): Promise<number> => {
  const random = new SeededRandom(seed);
  let count = 0;
  for (; Date.now() < until && problems.length < MAX_PROBLEMS; count++) {
    const problem = await target.attack(random).catch((error: Error) => `no answer: ${error.message}`);
    if (problem) problems.push(`${target.name}, input ${count}: ${problem}`);
  }
  return count;
};

const fuzz = async (postern: RunningPostern, { minutes, seed, only }: FuzzOptions): Promise<readonly string[]> => {
  const bystander = await createBystander(postern);
  const all = await targetsOf(postern, bystander);
  // Seeds are assigned before filtering, so `--only` repeats the inputs of a run over all targets.
  const targets = all
    .map((target, index) => ({ target, name: target.name, seed: seed + index }))
    .filter(({ name }) => only.length === 0 || only.some(part => name.includes(part)));
  const before = await bystander.read();
  const observer = new PosternObserver(postern);
  const problems: string[] = [];
  const until = Date.now() + minutes * 60_000;
  console.log(`▸ ${minutes} minutes with seed ${seed}: ${targets.map(({ name }) => name).join(', ')}`);
  const counts = await Promise.all(targets.map(({ target, seed }) => attack(target, seed, until, problems)));
  await new Promise(resolve => setTimeout(resolve, SETTLES_MS));
  for (const [index, { name }] of targets.entries()) console.log(`  ${name}: ${counts[index]} inputs`);
  if (counts.some(count => count === 0)) problems.push('a target got no input');
  const after = await bystander.read();
  if (after !== before) problems.push(`the data of another tenant changed from ${before} to ${after}`);
  return [...problems, ...observer.problems()];
};

const main = async (): Promise<number> => {
  const options = readFuzzOptions(process.argv.slice(2));
  const home = mkdtempSync(join(tmpdir(), 'postern-fuzz-'));
  // Builds run as other users if this process runs as root.
  chmodSync(home, 0o755);
  console.log('▸ starting Postern');
  const environment = {
    'platform-management': { POSTERN_PLATFORM_CALLS_PER_MINUTE: '0' },
    'api-gateway': LIFTED_REQUEST_LIMITS,
  };
  const postern = await startPostern({ home, port: 0, environment, natsSuperusers: [SUPERUSER] });
  try {
    const problems = await fuzz(postern, options);
    for (const problem of problems) console.error(`✕ ${problem}`);
    console.log(`${problems.length} problems found with seed ${options.seed}`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    // An error of the stop must not replace the findings of the run.
    await postern.stop().catch((error: Error) => console.error(`✕ Postern could not be stopped: ${error.message}`));
    rmSync(home, { recursive: true, force: true });
  }
};

try {
  process.exit(await main());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
}
