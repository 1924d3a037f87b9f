import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { composeProgram } from './programs.mjs';

const run = promisify(execFile);
const BRIDGE = 'postern-check';
const BRIDGE_ADDRESS = '10.212.79.1/24';
const STARTS_WITHIN_MS = 30_000;

/** The name of a container that Compose created. */
export const containerOf = service => `postern-${service}-1`;

/** A Docker Engine of this run, with its own storage, socket, bridge and client settings. It ends with this process. */
export class Engine {
  #daemon;

  /** @param folder of the storage, which a later run can use again */
  constructor(folder) {
    this.folder = folder;
    this.environment = {
      ...process.env,
      DOCKER_HOST: `unix://${join(folder, 'docker.sock')}`,
      DOCKER_CONFIG: join(folder, 'client'),
    };
  }

  /** @throws if another Docker Engine runs, whose firewall rules this one would replace. */
  async start() {
    if (spawnSync('docker', ['info'], { timeout: 10_000, stdio: 'ignore' }).status === 0)
      throw new Error(
        'A Docker Engine runs on this machine. Stop it first: both would change the same firewall rules.',
      );
    const plugins = join(this.environment.DOCKER_CONFIG, 'cli-plugins');
    rmSync(plugins, { recursive: true, force: true });
    mkdirSync(plugins, { recursive: true });
    symlinkSync(composeProgram(), join(plugins, 'docker-compose'));
    spawnSync('ip', ['link', 'delete', BRIDGE], { stdio: 'ignore' });
    execFileSync('ip', ['link', 'add', BRIDGE, 'type', 'bridge']);
    execFileSync('ip', ['address', 'add', BRIDGE_ADDRESS, 'dev', BRIDGE]);
    execFileSync('ip', ['link', 'set', BRIDGE, 'up']);
    const log = openSync(join(this.folder, 'dockerd.log'), 'w');
    const places = { 'data-root': 'data', 'exec-root': 'exec', pidfile: 'docker.pid' };
    this.#daemon = spawn(
      'setpriv',
      ['--pdeathsig', 'TERM', 'dockerd', '--host', this.environment.DOCKER_HOST, '--bridge', BRIDGE].concat(
        Object.entries(places).flatMap(([option, name]) => [`--${option}`, join(this.folder, name)]),
      ),
      { stdio: ['ignore', log, log] },
    );
    const deadline = Date.now() + STARTS_WITHIN_MS;
    while (!(await this.docker('info').catch(() => undefined))) {
      if (this.#daemon.exitCode !== null || Date.now() > deadline)
        throw new Error(
          `dockerd did not start: ${readFileSync(join(this.folder, 'dockerd.log'), 'utf8').slice(-2_000)}`,
        );
      await new Promise(resolve => setTimeout(resolve, 200));
    }
  }

  async stop() {
    if (this.#daemon?.exitCode === null) {
      const ended = once(this.#daemon, 'exit');
      this.#daemon.kill();
      await ended;
    }
    spawnSync('ip', ['link', 'delete', BRIDGE], { stdio: 'ignore' });
  }

  /** @throws with the end of what it printed. */
  async docker(...args) {
    try {
      const { stdout, stderr } = await run('docker', args, { maxBuffer: 64 * 2 ** 20, env: this.environment });
      // Containers print their logs to both.
      return (args[0] === 'logs' ? stdout + stderr : stdout).trim();
    } catch (error) {
      throw new Error(`docker ${args.join(' ')}\n${`${error.stdout}\n${error.stderr}`.slice(-4_000)}`, {
        cause: error,
      });
    }
  }

  async build(dockerfile, context, { tag, args = {}, target }) {
    await this.docker(
      'build',
      ...['--quiet', '--network', 'host', '-f', dockerfile, '-t', tag],
      ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
      ...(target ? ['--target', target] : []),
      context,
    );
  }

  /** Does not throw if the program exits with a nonzero code. */
  async in(container, ...command) {
    return run('docker', ['exec', container, ...command], { env: this.environment }).then(
      ({ stdout }) => ({ code: 0, output: stdout.trim() }),
      error => ({ code: error.code, output: `${error.stdout}${error.stderr}`.trim() }),
    );
  }

  /** Host PID of the image's entry point; a child of the init process if there is one. */
  async programOf(container) {
    const { State, HostConfig } = await this.inspect(container);
    if (!HostConfig.Init) return State.Pid;
    return Number(readFileSync(`/proc/${State.Pid}/task/${State.Pid}/children`, 'latin1').split(' ')[0]);
  }

  async inspect(container) {
    return JSON.parse(await this.docker('inspect', container))[0];
  }
}
