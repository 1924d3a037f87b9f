import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether this process can connect a computer to the machine, and sandboxes have networks. */
export const canConnectComputers =
  process.getuid?.() === 0 &&
  ['ip', 'nft'].every(program => {
    try {
      return execFileSync('which', [program]).length > 0;
    } catch {
      return false;
    }
  });

/** The networks of tests of equipment (RFC 2544), divided so that tests of other processes have other ones. */
const networkOf = (process: number): string => `198.18.${Math.floor(process / 32) % 256}.${(process % 32) * 8}`;

/** A computer outside of the platform, with a cable to the machine. It has two addresses, of which it uses one at a time. */
export class OutsideComputer {
  readonly #name = `outside-${process.pid}`;
  readonly #cable = `out${process.pid}`;
  readonly #network = networkOf(process.pid);
  readonly machine = this.#address(1);
  readonly addresses = [this.#address(2), this.#address(3)] as const;

  static async connect(): Promise<OutsideComputer> {
    const computer = new OutsideComputer();
    await computer.#create();
    return computer;
  }

  /** Runs a program with one of the addresses. @returns its output. @throws with its errors. */
  async run(argv: readonly string[], source: string = this.addresses[0]): Promise<string> {
    await this.#ip('route', 'replace', `${this.#network}/29`, 'dev', 'eth0', 'src', source);
    const { stdout } = await run('ip', ['netns', 'exec', this.#name, ...argv], { timeout: 60_000 });
    return stdout.trim();
  }

  /** Ends also what runs on it. */
  async remove(): Promise<void> {
    await run('ip', ['link', 'delete', this.#cable]).catch(() => undefined);
    await run('ip', ['netns', 'delete', this.#name]).catch(() => undefined);
  }

  async #create(): Promise<void> {
    await run('ip', ['netns', 'add', this.#name]);
    const ends = ['peer', 'name', 'eth0', 'netns', this.#name];
    await run('ip', ['link', 'add', this.#cable, 'type', 'veth', ...ends]);
    await run('ip', ['address', 'add', `${this.machine}/29`, 'dev', this.#cable]);
    await run('ip', ['link', 'set', this.#cable, 'up']);
    for (const address of this.addresses) await this.#ip('address', 'add', `${address}/29`, 'dev', 'eth0');
    for (const link of ['lo', 'eth0']) await this.#ip('link', 'set', link, 'up');
  }

  #ip(...args: readonly string[]) {
    return run('ip', ['-netns', this.#name, ...args]);
  }

  #address(host: number): string {
    const [a, b, c, first] = this.#network.split('.');
    return `${a}.${b}.${c}.${Number(first) + host}`;
  }
}
