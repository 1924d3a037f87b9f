/** A server: systemd in a container of the system, in a network of its own, on a copy of the tree. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export const SERVER = { namespace: 'postern-server', address: '45.80.1.2' };
export const INTERNET = { namespace: 'postern-internet', address: '45.80.1.1' };

const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const quietly = (...command) => {
  try {
    run(...command);
  } catch {
    // It does not exist.
  }
};

/** Two network namespaces with a cable: the server, and everything else. */
export const connectNetworks = () => {
  disconnectNetworks();
  for (const { namespace } of [SERVER, INTERNET]) {
    run('ip', 'netns', 'add', namespace);
    run('ip', '-n', namespace, 'link', 'set', 'lo', 'up');
  }
  run(
    'ip',
    '-n',
    INTERNET.namespace,
    'link',
    'add',
    'cable',
    'type',
    'veth',
    'peer',
    'name',
    'host0',
    'netns',
    SERVER.namespace,
  );
  for (const [{ namespace, address }, device] of [
    [SERVER, 'host0'],
    [INTERNET, 'cable'],
  ]) {
    run('ip', '-n', namespace, 'address', 'add', `${address}/24`, 'dev', device);
    run('ip', '-n', namespace, 'link', 'set', device, 'up');
  }
  run('ip', '-n', SERVER.namespace, 'route', 'add', 'default', 'via', INTERNET.address);
  const folder = `/etc/netns/${INTERNET.namespace}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/resolv.conf`, `nameserver ${INTERNET.address}\n`);
};

export const disconnectNetworks = () => {
  for (const { namespace } of [SERVER, INTERNET]) quietly('ip', 'netns', 'delete', namespace);
  rmSync(`/etc/netns/${INTERNET.namespace}`, { recursive: true, force: true });
};

export class ServerMachine {
  #process;
  #init;
  #name;
  #clock = [];

  /** @param folder an empty folder, on a file system that can be the upper layer of an overlay. */
  constructor(tree, folder, name = 'postern') {
    this.folder = folder;
    this.#name = name;
    this.root = join(folder, 'root');
    for (const part of ['root', 'upper', 'work']) mkdirSync(join(folder, part), { recursive: true });
    run(
      'mount',
      '-t',
      'overlay',
      'overlay',
      '-o',
      `lowerdir=${tree},upperdir=${folder}/upper,workdir=${folder}/work`,
      this.root,
    );
    writeFileSync(join(this.root, 'etc/resolv.conf'), `nameserver ${INTERNET.address}\n`);
    writeFileSync(join(this.root, 'etc/hostname'), 'server\n');
  }

  /** Turns the machine on, and waits until systemd has started everything. */
  async boot() {
    const args = [
      '--directory',
      this.root,
      `--machine=${this.#name}`,
      `--network-namespace-path=/run/netns/${SERVER.namespace}`,
      '--register=no',
      '--keep-unit',
      '--resolv-conf=off',
      '--capability=all',
      '--console=pipe',
      '--boot',
    ];
    // The agent sets parameters of the networks of web services, and mounts /proc in their sandboxes.
    const env = { ...process.env, SYSTEMD_NSPAWN_API_VFS_WRITABLE: 'yes' };
    this.#process = spawn('systemd-nspawn', args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env });
    this.console = '';
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream.on('data', chunk => {
        this.console = (this.console + chunk).slice(-20_000);
      });
    const ended = new Promise(resolve => this.#process.once('close', resolve));
    this.#process.ended = ended;
    const deadline = Date.now() + 120_000;
    while (Date.now() < deadline) {
      await pause(300);
      if (this.#process.exitCode !== null) throw new Error(`systemd-nspawn ended:\n${this.console}`);
      this.#init ??= this.#findInit();
      if (this.#init === undefined) continue;
      const state = await this.exec('systemctl is-system-running').catch(error => error.stdout ?? '');
      if (/running|degraded/.test(state)) return;
    }
    throw new Error(`the machine did not boot:\n${this.console}`);
  }

  /** The first process of the machine, a child of systemd-nspawn. */
  #findInit() {
    try {
      const children = readFileSync(`/proc/${this.#process.pid}/task/${this.#process.pid}/children`, 'utf8').trim();
      const pid = children
        .split(' ')
        .find(child => child !== '' && /systemd|init/.test(readFileSync(`/proc/${child}/comm`, 'utf8')));
      return pid === undefined ? undefined : Number(pid);
    } catch {
      return undefined;
    }
  }

  /** Runs a script inside as root. @returns its standard output. @throws with stdout and stderr. */
  exec(script, { timeoutMs = 600_000, input } = {}) {
    const enter = ['-t', String(this.#init), '-m', '-u', '-i', '-p', '-n', '--'];
    const environment = [
      'env',
      '-i',
      'HOME=/root',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'LANG=C.UTF-8',
      ...this.#clock,
    ];
    return new Promise((resolve, reject) => {
      const child = execFile(
        'nsenter',
        [...enter, ...environment, 'sh', '-ec', `cd /root\n${script}`],
        { timeout: timeoutMs, maxBuffer: 64 * 1024 ** 2, killSignal: 'SIGKILL' },
        (error, stdout, stderr) => {
          if (!error) return resolve(stdout);
          error.message = `${script}\n${stdout.slice(-3_000)}\n${stderr.slice(-3_000)}`;
          reject(Object.assign(error, { stdout, stderr }));
        },
      );
      // A command that needs no input may have ended before.
      child.stdin.on('error', () => undefined).end(input ?? '');
    });
  }

  /** Gives the processes that start from now on a clock that `moveClock` moves. Programs in Go keep the clock of the kernel. */
  async ownClock() {
    this.moveClock(0);
    this.#clock = [
      'LD_PRELOAD=/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
      'FAKETIME_TIMESTAMP_FILE=/etc/faketimerc',
      'FAKETIME_CACHE_DURATION=1',
      'FAKETIME_DONT_FAKE_MONOTONIC=1',
      'FAKETIME_DISABLE_SHM=1',
      'NO_FAKE_STAT=1',
    ];
    await this.exec(`systemctl set-environment ${this.#clock.join(' ')}`);
  }

  /** Moves the clock to some days after the kernel's, within a second. */
  moveClock(days) {
    writeFileSync(join(this.root, 'etc/faketimerc'), `+${days}d\n`);
  }

  /** SIGKILL of the first process: every process of the machine ends at once. */
  async cutPower() {
    process.kill(this.#init, 'SIGKILL');
    await this.#process.ended;
    this.#init = undefined;
  }

  async shutDown() {
    if (this.#init === undefined) return;
    await this.exec('systemctl --no-block poweroff').catch(() => undefined);
    const timer = setTimeout(() => this.#init && process.kill(this.#init, 'SIGKILL'), 60_000);
    await this.#process.ended;
    clearTimeout(timer);
    this.#init = undefined;
  }

  /** Ends the machine, and deletes its files. */
  async destroy() {
    if (this.#init !== undefined) await this.cutPower().catch(() => undefined);
    quietly('umount', '-R', '-l', this.root);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
