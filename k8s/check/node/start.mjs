/** The beginning of the check on a real node, before anything is built: what it needs of the machine, and how that is. */
import { prepare } from '../../../tools/setup/prepare.mjs';
import { helm } from '../helm.mjs';
import { machineState } from './machine.mjs';
import { missingRequirements } from './requirements.mjs';

/** @param options those of `--node`. */
export const start = async options => {
  const missing = missingRequirements();
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
  await checkOnNode(options, before);
};
