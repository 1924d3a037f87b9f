/** Entry point of the check on a real node: verifies the requirements of the machine before anything is built. */
import { prepare } from '../../../tools/setup/prepare.mjs';
import { helm, SERVICES } from '../helm.mjs';
import { areImagesCached } from './images/service-images.mjs';
import { machineState } from './machine.mjs';
import { arePackagesCached } from './packages.mjs';
import { areProgramsCached } from './programs.mjs';
import { missingRequirements } from './requirements.mjs';
import { NODE_CACHE } from './settings.mjs';

/** The option that skips the check if the cache is empty, because the first run takes long. */
const IF_CACHED = '--if-cached';

const isCached = () => arePackagesCached() && areImagesCached(SERVICES) && areProgramsCached();

/** @param options those of `--node`. */
export const start = async options => {
  const missing = missingRequirements();
  if (options.includes(IF_CACHED) && (missing.length > 0 || !isCached())) {
    const reason = missing[0] ?? `Nothing is cached in ${NODE_CACHE}, or something else than this version needs.`;
    console.log(`The check on a real node was left out. ${reason}`);
    return;
  }
  if (missing.length > 0) {
    console.error(`The check on a real node cannot run here.\n${missing.map(line => `- ${line}`).join('\n')}`);
    process.exitCode = 1;
    return;
  }
  const before = machineState();
  await prepare(console.log);
  helm(['dependency', 'build', 'k8s/charts/postern']);
  // It imports packages that the preparation builds.
  const { checkOnNode } = await import('./node-check.mjs');
  await checkOnNode(
    options.filter(option => option !== IF_CACHED),
    before,
  );
};
