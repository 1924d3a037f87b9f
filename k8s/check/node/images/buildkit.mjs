/** BuildKit on this machine, in separate mount and PID namespaces, with the machine's network. */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { removeControlGroups } from '../control-groups.mjs';
import { NODE_CACHE, RUN_PREFIX } from '../settings.mjs';

const run = promisify(execFile);
const STARTS_WITHIN_MS = 60_000;

/** A running BuildKit whose cache is kept between runs. `stop` ends it and removes its mounts. */
export class BuildKit {
  static async start({ programs, debian }, folder) {
    const [group, address] = [`${RUN_PREFIX}builds-${process.pid}`, `unix://${join(folder, 'buildkit.sock')}`];
    const log = join(folder, 'buildkitd.log');
    mkdirSync(folder, { recursive: true });
    const output = openSync(log, 'a');
    const configuration = join(folder, 'buildkitd.toml');
    writeFileSync(configuration, `[worker.oci]\ndefaultCgroupParent = "/${group}"\n`);
    const daemon = [
      programs.buildkitd,
      ...['--root', join(NODE_CACHE, 'buildkit'), '--addr', address],
      ...['--config', configuration, '--containerd-worker=false', '--oci-worker-net=host'],
    ];
    const apart = ['--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', ...daemon];
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', ...apart], {
      stdio: ['ignore', output, output],
      // Directory of runc.
      env: { ...process.env, PATH: `${debian}/usr/sbin:${process.env.PATH}` },
    });
    const buildkit = new BuildKit(programs.buildctl, address, child, group);
    const end = Date.now() + STARTS_WITHIN_MS;
    while (!(await buildkit.#isUp())) {
      if (child.exitCode !== null || Date.now() > end)
        throw new Error(`buildkitd does not run: ${readFileSync(log, 'utf8').slice(-2_000)}`);
      await pause(200);
    }
    return buildkit;
  }

  constructor(buildctl, address, child, group) {
    this.buildctl = buildctl;
    this.address = address;
    this.child = child;
    this.group = group;
  }

  #isUp() {
    return run(this.buildctl, ['--addr', this.address, 'debug', 'workers']).then(
      () => true,
      () => false,
    );
  }

  /** @throws with the end of the build's output. */
  async build(...options) {
    const args = ['--addr', this.address, 'build', '--progress=plain', '--frontend=dockerfile.v0', ...options];
    await run(this.buildctl, args, { maxBuffer: 2 ** 28 }).catch(error => {
      throw new Error(`the build failed:\n${error.stderr.slice(-4_000)}`, { cause: error });
    });
  }

  async stop() {
    const ended = new Promise(resolve => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
    for (let tries = 0; tries < 50 && removeControlGroups(this.group).length > 0; tries++) await pause(200);
  }
}
