/**
 * The check on a real node: prepares programs and images, runs the stages in namespaces of their own, and compares the machine
 * before and after.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { tools } from '../tools.mjs';
import { writeCertificates } from './certificates.mjs';
import { writeArchive } from './images/archive.mjs';
import { allImages, publishedImages } from './images/images.mjs';
import { removeLeftovers } from './leftovers.mjs';
import { changesBetween, leftBehind, machineState } from './machine.mjs';
import { debianPackages } from './packages.mjs';
import { nodePrograms } from './programs.mjs';
import { missingRequirements } from './requirements.mjs';
import { KEEP, NODE_CACHE, RUN_PREFIX } from './settings.mjs';
import { STAGES } from './stages.mjs';

const since = start => `${Math.round((performance.now() - start) / 1_000)} s`;

/** Builds what is missing in the cache. @returns what the stages need to know. */
const prepareRun = async () => {
  const programs = nodePrograms();
  const debian = debianPackages();
  mkdirSync(NODE_CACHE, { recursive: true });
  removeLeftovers();
  const folder = mkdtempSync(join(NODE_CACHE, `${RUN_PREFIX}${process.pid}-`));
  writeCertificates(folder);
  const images = await allImages({ debian, programs, folder });
  const start = performance.now();
  await writeArchive(join(folder, 'images.tar'), images, folder);
  console.log(`wrote ${images.length} images in ${since(start)}`);
  const published = await publishedImages(debian);
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ programs, debian, published, helm: tools().helm }));
  return folder;
};

/** Runs the stages, and stops everything when this process is told to stop or is killed. */
const runApart = (folder, stages) =>
  new Promise((resolve, reject) => {
    const janitor = spawn(process.execPath, [join(import.meta.dirname, 'janitor.mjs'), folder, ...stages], {
      stdio: ['pipe', 'inherit', 'inherit'],
      detached: true,
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => janitor.stdin.destroy());
    janitor.once('error', reject);
    janitor.once('exit', resolve);
  });

/** The machine must be as it was, apart from what others do meanwhile. */
const compare = async (before, folder) => {
  const file = `${folder}.namespaces`;
  // A run that was stopped at its beginning has written none.
  const namespaces = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  rmSync(file, { force: true });
  // Another run may be under way.
  const isOurs = line => !line.includes(RUN_PREFIX) || line.includes(basename(folder));
  const marks = [basename(folder), 'kubepods', ...namespaces];
  const found = () => leftBehind(changesBetween(before, machineState()), marks).filter(isOurs);
  // The kernel gives numbers of namespaces again, also to those that others make for a moment.
  for (let tries = 0; tries < 5 && found().length > 0; tries++) await pause(2_000);
  const left = found();
  for (const line of left) console.error(`  left behind: ${line}`);
  if (left.length === 0) console.log('✓ the machine is as it was before');
  return left.length === 0;
};

/** @param stages names of the stages to run, all if there are none; with `--keep` the cluster stays until a signal. */
export const checkOnNode = async stages => {
  const unknown = stages.filter(name => name !== KEEP && !STAGES.some(stage => stage.name === name));
  if (unknown.length > 0)
    throw new Error(`no stage is called ${unknown.join(' or ')}: ${STAGES.map(({ name }) => name).join(', ')}`);
  const missing = missingRequirements();
  if (missing.length > 0) {
    console.error(`The check on a real node cannot run here.\n${missing.map(line => `- ${line}`).join('\n')}`);
    process.exitCode = 1;
    return;
  }
  const start = performance.now();
  const folder = await prepareRun();
  console.log(`everything is in ${NODE_CACHE} after ${since(start)}`);
  const before = machineState();
  const code = await runApart(folder, stages);
  const isClean = await compare(before, folder);
  if (code !== 0 || !isClean) process.exitCode = 1;
  console.log(`the check on a real node ${process.exitCode ? 'failed' : 'passed'} after ${since(start)}`);
};
