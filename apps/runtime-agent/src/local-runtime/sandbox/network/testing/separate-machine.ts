import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { machineHost, type NetworkHost } from '../network-host.js';
import type { NetworkPrograms } from '../network-programs.js';
import { runProgram } from '../run-program.js';

const run = promisify(execFile);

/**
 * The network of another machine, which has no other firewall, and a computer with a cable to it. Their addresses are those of
 * documentation (RFC 5737).
 */
export class SeparateMachine {
  static readonly ADDRESS = '203.0.113.1';
  static readonly COMPUTERS = ['203.0.113.2', '203.0.113.3'] as const;
  readonly #machine = `postern-machine-${process.pid}`;
  readonly #computer = `postern-outside-${process.pid}`;

  /** @param claims a folder for the blocks in use on this machine. */
  constructor(
    private readonly programs: NetworkPrograms,
    private readonly claims: string,
  ) {}

  async create(): Promise<void> {
    const { ip } = this.programs;
    for (const name of [this.#machine, this.#computer]) await run(ip, ['netns', 'add', name]);
    const cable = ['link', 'add', 'eth0', 'netns', this.#machine, 'type', 'veth'];
    await run(ip, [...cable, 'peer', 'name', 'eth0', 'netns', this.#computer]);
    const ends = [
      [this.#machine, [SeparateMachine.ADDRESS]],
      [this.#computer, SeparateMachine.COMPUTERS],
    ] as const;
    for (const [name, addresses] of ends) {
      for (const address of addresses)
        await run(ip, ['-netns', name, 'address', 'add', `${address}/24`, 'dev', 'eth0']);
      for (const link of ['lo', 'eth0']) await run(ip, ['-netns', name, 'link', 'set', link, 'up']);
    }
    await run(ip, ['-netns', this.#computer, 'route', 'add', 'default', 'via', SeparateMachine.ADDRESS]);
  }

  get host(): NetworkHost {
    const { nsenter } = this.programs;
    return {
      ...machineHost(this.programs),
      claims: this.claims,
      run: (program, args, input) =>
        runProgram(nsenter, [`--net=/run/netns/${this.#machine}`, '--', program, ...args], input),
      turnOnForwarding: async () => {
        const turnOn = ['/bin/sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'];
        await run(nsenter, [`--net=/run/netns/${this.#machine}`, '--', ...turnOn]);
        return [];
      },
    };
  }

  /** Runs a program on the computer. @returns its output. @throws with its errors. */
  async runOutside(argv: readonly string[]): Promise<string> {
    const { stdout } = await run(this.programs.ip, ['netns', 'exec', this.#computer, ...argv], { timeout: 60_000 });
    return stdout.trim();
  }

  /** Starts a program on the computer, which the caller ends. */
  startOutside(argv: readonly string[]): ChildProcess {
    return spawn(this.programs.ip, ['netns', 'exec', this.#computer, ...argv], { stdio: 'ignore' });
  }

  async remove(): Promise<void> {
    for (const name of [this.#computer, this.#machine]) await run(this.programs.ip, ['netns', 'delete', name]);
  }
}
