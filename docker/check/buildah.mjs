import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Builds and runs images without a daemon, a registry or namespaces: buildah's chroot isolation works where no container
 * engine does. What it cannot show: read-only root file systems, health checks and limits, which an engine adds.
 */
export class Buildah {
  constructor(folder) {
    this.storage = ['--root', `${folder}/storage`, '--runroot', `${folder}/run`, '--storage-driver', 'vfs'];
  }

  /** @throws with the end of what it printed. */
  async do(...args) {
    try {
      const { stdout } = await run('buildah', [...this.storage, ...args], {
        maxBuffer: 64 * 2 ** 20,
        env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
      });
      return stdout.trim();
    } catch (error) {
      throw new Error(`buildah ${args.join(' ')}\n${`${error.stdout}\n${error.stderr}`.slice(-4_000)}`, {
        cause: error,
      });
    }
  }

  /** Starts the image's own entry point with this environment, on the network of this machine. */
  async start(image, environment, args = []) {
    const container = await this.do('from', image);
    const {
      OCIv1: { config },
    } = JSON.parse(await this.do('inspect', '--type', 'image', image));
    const command = [...(config.Entrypoint ?? []), ...(args.length > 0 ? args : (config.Cmd ?? []))];
    const settings = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const child = spawn(
      'buildah',
      [...this.storage, 'run', '--user', config.User, ...settings, container, '--', ...command],
      { env: { ...process.env, BUILDAH_ISOLATION: 'chroot' }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    return new RunningContainer(this, container, child);
  }
}

class RunningContainer {
  #printed = '';
  #exit;

  constructor(buildah, name, child) {
    this.buildah = buildah;
    this.name = name;
    this.child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        this.#printed = (this.#printed + chunk).slice(-20_000);
      });
    this.#exit = new Promise(resolve => child.once('exit', code => resolve(code)));
  }

  get printed() {
    return this.#printed;
  }

  /** The line that a service prints when it serves. */
  async ready(withinMs = 60_000) {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const line = this.#printed.split('\n').find(text => text.startsWith('{"ready":true'));
      if (line) return JSON.parse(line);
      if (this.child.exitCode !== null || Date.now() > deadline)
        throw new Error(`${this.name} is not ready; it printed\n${this.#printed.slice(-4_000)}`);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }

  /** SIGTERM, as an engine sends it to the first process. @returns the exit code. */
  async terminate() {
    this.child.kill('SIGTERM');
    const code = await this.#exit;
    await this.buildah.do('rm', this.name);
    return code;
  }
}
