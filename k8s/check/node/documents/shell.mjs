/** Runs commands of a document as a reader does: in bash, in the root of the checkout, with helm and kubectl on the PATH. */
import { execFile, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { demand, print } from '../../../../docker/check/report.mjs';
import { helmEnvironment } from '../../helm.mjs';
import { ROOT } from '../../tools.mjs';
import { substituted } from './document-blocks.mjs';

const run = promisify(execFile);

export class Shell {
  /** @param table of `[text, other text, reason]`, which is printed. */
  constructor({ folder, helm, programs }, table) {
    this.table = table;
    this.environment = {
      ...helmEnvironment,
      ...process.env,
      KUBECONFIG: join(folder, 'admin.kubeconfig'),
      PATH: [dirname(helm), dirname(programs.kubectl), process.env.PATH].join(':'),
    };
    for (const [from, to, reason] of table) print(`${reason}: ${from} → ${to}`);
  }

  /** @param replacements further entries of the table. @returns {Promise<string>} standard output. @throws if one fails. */
  async run(text, replacements = []) {
    const commands = substituted(text, [...replacements, ...this.table]);
    for (const [from, to] of replacements) print(`for this block: ${from} → ${to}`);
    const options = { cwd: ROOT, env: this.environment, maxBuffer: 2 ** 26 };
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', commands], options);
    demand(`runs: ${text.replaceAll(/\s*\\\n\s*/g, ' ')}`, true);
    return stdout;
  }

  /** Starts a command that runs until it is stopped. */
  start(text) {
    const command = `exec ${substituted(text, this.table)}`;
    return spawn('bash', ['-c', command], {
      cwd: ROOT,
      env: this.environment,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  }
}
