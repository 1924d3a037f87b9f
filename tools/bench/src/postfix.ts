import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { freePort, PostfixServer, waitFor, whyNoPostfix } from '@postern/testing';

const SOURCE = '/usr/sbin/smtp-source';
const SINK = '/usr/sbin/smtp-sink';

/** The reason why Postfix cannot be measured, if any. */
export const whyNoBenchPostfix = (): string | undefined =>
  whyNoPostfix() ?? [SOURCE, SINK].filter(program => !existsSync(program)).map(program => `${program} is missing`)[0];

/** A separate Postfix that relays to smtp-sink at full speed. */
export class BenchPostfix {
  private delivered = 0;

  private constructor(
    private readonly postfix: PostfixServer,
    private readonly port: number,
    private readonly sink: ChildProcess,
    readonly version: string,
  ) {
    // `smtp-sink -c` overwrites its counters in place.
    sink.stdout?.on('data', (chunk: Buffer) => {
      const last = [...chunk.toString('latin1').matchAll(/mesg=(\d+)/g)].at(-1)?.[1];
      if (last !== undefined) this.delivered = Number(last);
    });
  }

  static async start(): Promise<BenchPostfix> {
    const [port, nextHopPort] = [await freePort(), await freePort()];
    const sink = spawn(SINK, ['-c', '-u', 'postfix', `127.0.0.1:${nextHopPort}`, '1000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const settings = {
        default_destination_concurrency_limit: 64,
        initial_destination_concurrency: 64,
        smtp_connection_cache_on_demand: 'yes',
        in_flow_delay: 0,
      };
      const postfix = await PostfixServer.start({ port, nextHopPort, settings });
      return new BenchPostfix(postfix, port, sink, await postfix.version());
    } catch (error) {
      sink.kill();
      throw error;
    }
  }

  get processes(): Record<string, number> {
    return { postfix: this.postfix.pid, 'smtp-sink': this.sink.pid as number };
  }

  /** Sends messages over `connections` sessions. @returns seconds until the last one reached the sink. */
  async drain(messages: number, bytes: number, connections: number): Promise<number> {
    const before = this.delivered;
    const startedAt = performance.now();
    const load = ['-s', connections, '-l', bytes, '-m', messages].map(String);
    const source = spawn(
      SOURCE,
      ['-d', ...load, '-f', 'bench@example.com', '-t', 'ada@customers.test', `127.0.0.1:${this.port}`],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const fed = new Promise<void>((resolve, reject) => {
      source.on('error', reject);
      source.on('exit', code => (code === 0 ? resolve() : reject(new Error(`smtp-source ended with ${code}`))));
    });
    await Promise.all([
      fed,
      waitFor(() => this.delivered - before >= messages, {
        timeoutMs: 180_000,
        intervalMs: 10,
        describe: () => `${messages} messages through Postfix; ${this.delivered - before} arrived`,
      }),
    ]);
    return (performance.now() - startedAt) / 1_000;
  }

  async stop(): Promise<void> {
    await this.postfix.stop();
    this.sink.kill();
  }
}
