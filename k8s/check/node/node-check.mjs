/**
 * The check on a real node: prepares programs and images, runs the stages in namespaces of their own, and compares the machine
 * before and after.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { customResources } from '../schemas.mjs';
import { tools } from '../tools.mjs';
import { writeCertificates } from './certificates.mjs';
import { writeArchive } from './images/archive.mjs';
import { allImages, publishedImages } from './images/images.mjs';
import { removeLeftovers } from './leftovers.mjs';
import { machineState } from './machine.mjs';
import { compare } from './machine-report.mjs';
import { debianPackages } from './packages.mjs';
import { nodePrograms } from './programs.mjs';
import { KEEP, NODE_CACHE, RUN_PREFIX } from './settings.mjs';
import { STAGES } from './stages.mjs';
import { gatewayDefinitions } from './traefik-module.mjs';

const since = start => `${Math.round((performance.now() - start) / 1_000)} s`;

/** Builds what is missing in the cache. @returns the settings of the stages. */
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
  writeFileSync(join(folder, 'custom-resources.json'), JSON.stringify(customResources()));
  const published = await publishedImages(debian);
  writeFileSync(
    join(folder, 'run.json'),
    JSON.stringify({ programs, debian, published, helm: tools().helm, gatewayApi: gatewayDefinitions() }),
  );
  return folder;
};

/** Runs the stages, and stops everything when this process receives a signal or is killed. */
const runApart = (folder, stages) =>
  new Promise((resolve, reject) => {
    const cleanup = spawn(process.execPath, [join(import.meta.dirname, 'cleanup.mjs'), folder, ...stages], {
      stdio: ['pipe', 'inherit', 'inherit'],
      detached: true,
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => cleanup.stdin.destroy());
    cleanup.once('error', reject);
    cleanup.once('exit', resolve);
  });

/** @param stages names of the stages to run, all if there are none; with `--keep` the cluster stays until a signal. */
export const checkOnNode = async (stages, before) => {
  const unknown = stages.filter(name => name !== KEEP && !STAGES.some(stage => stage.name === name));
  if (unknown.length > 0)
    throw new Error(`no stage is called ${unknown.join(' or ')}: ${STAGES.map(({ name }) => name).join(', ')}`);
  const start = performance.now();
  const folder = await prepareRun();
  console.log(`everything is in ${NODE_CACHE} after ${since(start)}`);
  const prepared = machineState();
  const code = await runApart(folder, stages);
  const isClean = await compare({ before, prepared }, folder);
  if (code !== 0 || !isClean) process.exitCode = 1;
  console.log(`the check on a real node ${process.exitCode ? 'failed' : 'passed'} after ${since(start)}`);
};
