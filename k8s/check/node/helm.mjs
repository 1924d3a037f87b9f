/** Helm against the cluster of a run. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { helmEnvironment } from '../helm.mjs';
import { ROOT } from '../tools.mjs';

const run = promisify(execFile);

/** @throws with what Helm wrote to standard error. @returns {Promise<string>} its output. */
export const helmIn = async ({ helm, folder }, ...args) => {
  const env = { ...helmEnvironment, ...process.env, KUBECONFIG: join(folder, 'admin.kubeconfig') };
  const { stdout } = await run(helm, args, { cwd: ROOT, env, maxBuffer: 2 ** 26 });
  return stdout;
};
