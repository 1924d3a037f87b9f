import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CONTROL_GROUPS = '/sys/fs/cgroup';

/** crun cannot create containers if cgroup v2 has only some of the controllers (hybrid hierarchy). */
const isHybrid = () => existsSync(`${CONTROL_GROUPS}/unified/cgroup.controllers`);

/**
 * Runs this program again in a mount namespace without control groups if crun cannot use them: containers then stay in the
 * control groups of this process, without limits. @returns the exit code of that run, or undefined if it is not needed.
 */
export const reExecuteApart = () => {
  if (process.env.POSTERN_CHECK_APART === 'true' || !isHybrid()) return undefined;
  const inside = `mount -t tmpfs tmpfs ${CONTROL_GROUPS} && exec "$@"`;
  const { status } = spawnSync(
    'unshare',
    ['--mount', 'sh', '-c', inside, 'apart', process.execPath, ...process.argv.slice(1)],
    { stdio: 'inherit', env: { ...process.env, POSTERN_CHECK_APART: 'true' } },
  );
  return status ?? 1;
};

/** Podman with separate storage and settings, so that it does not affect other containers of this machine. */
export class Engine {
  constructor(folder) {
    mkdirSync(folder, { recursive: true });
    const [settings, storage] = [join(folder, 'containers.conf'), join(folder, 'storage.conf')];
    // The default limits of open files and processes may exceed those that root may set in this environment.
    const hardLimit = (name, most) => {
      const [, limit] =
        new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
      return Math.min(most, Number(limit ?? most));
    };
    const [files, processes] = [hardLimit('Max open files', 1_048_576), hardLimit('Max processes', 20_000)];
    const apart = process.env.POSTERN_CHECK_APART === 'true' ? 'cgroups = "disabled"\n' : '';
    writeFileSync(
      settings,
      `[containers]\n${apart}default_ulimits = ["nofile=${files}:${files}", "nproc=${processes}:${processes}"]\n` +
        '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "crun"\n' +
        '[network]\nnetwork_backend = "netavark"\n',
    );
    writeFileSync(
      storage,
      `[storage]\ndriver = "overlay"\ngraphroot = "${join(folder, 'storage')}"\nrunroot = "${join(folder, 'run')}"\n`,
    );
    this.environment = {
      ...process.env,
      CONTAINERS_CONF: settings,
      CONTAINERS_STORAGE_CONF: storage,
      // The OCI format has no health checks.
      BUILDAH_FORMAT: 'docker',
    };
  }

  /** @throws with the end of what it printed. */
  async podman(...args) {
    return this.#run('podman', args);
  }

  /** Runs Compose with both files and their environment variables. */
  async compose(files, variables, ...args) {
    return this.#run(
      process.env.PODMAN_COMPOSE ?? 'podman-compose',
      [...files.flatMap(file => ['-f', file]), ...args],
      {
        ...variables,
        COMPOSE_PROJECT_NAME: 'postern',
      },
    );
  }

  async build(dockerfile, context, { tag, args = {}, target }) {
    await this.podman(
      'build',
      '--quiet',
      '--layers',
      // Builds use the host network and no control groups.
      ...['--isolation', 'chroot', '--network', 'host', '-f', dockerfile, '-t', tag],
      ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
      ...(target ? ['--target', target] : []),
      context,
    );
  }

  /** Does not throw if the program exits with a nonzero code. */
  async in(container, ...command) {
    return run('podman', ['exec', container, ...command], { env: this.environment }).then(
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
    return JSON.parse(await this.podman('inspect', container))[0];
  }

  async #run(command, args, variables = {}) {
    try {
      const { stdout } = await run(command, args, {
        maxBuffer: 64 * 2 ** 20,
        env: { ...this.environment, ...variables },
      });
      return stdout.trim();
    } catch (error) {
      const printed = `${error.stdout}\n${error.stderr}`.slice(-4_000);
      throw new Error(`${command} ${args.join(' ')}\n${printed}`, { cause: error });
    }
  }
}
