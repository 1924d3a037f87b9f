import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, waitFor } from '@postern/testing';
import { output } from './measure/machine.js';

const SBIN = ['/usr/sbin', '/usr/local/sbin', '/sbin'];
const find = (program: string): string | undefined =>
  SBIN.map(folder => join(folder, program)).find(file => existsSync(file));

/** Why Postfix cannot be measured here; undefined where it can. */
export const whyNoPostfix = (): string | undefined => {
  const missing = ['postfix', 'postconf', 'smtp-source', 'smtp-sink'].filter(program => !find(program));
  if (missing.length > 0) return `${missing.join(', ')} not found (Debian: apt-get install postfix)`;
  return process.getuid?.() === 0 ? undefined : 'Postfix has to be started by root';
};

const MASTER = `
smtp      inet  n - n - -   smtpd
cleanup   unix  n - n - 0   cleanup
qmgr      unix  n - n 300 1 qmgr
rewrite   unix  - - n - -   trivial-rewrite
bounce    unix  - - n - 0   bounce
defer     unix  - - n - 0   bounce
trace     unix  - - n - 0   bounce
verify    unix  - - n - 1   verify
proxymap  unix  - - n - -   proxymap
smtp      unix  - - n - -   smtp
relay     unix  - - n - -   smtp
error     unix  - - n - -   error
retry     unix  - - n - -   error
discard   unix  - - n - -   discard
anvil     unix  - - n - 1   anvil
scache    unix  - - n - 1   scache
postlog   unix-dgram n - n - 1 postlogd
`;

/** A Postfix of our own beside whatever the machine runs: own configuration, queue and ports, delivering to smtp-sink. */
export class BenchPostfix {
  private delivered = 0;

  private constructor(
    private readonly configuration: string,
    private readonly port: number,
    private readonly sink: ChildProcess,
    readonly version: string,
    readonly masterPid: number,
  ) {
    // `smtp-sink -c` writes running counters, each over the last.
    sink.stdout?.on('data', (chunk: Buffer) => {
      const last = [...chunk.toString('latin1').matchAll(/mesg=(\d+)/g)].at(-1)?.[1];
      if (last !== undefined) this.delivered = Number(last);
    });
  }

  static async start(folder: string): Promise<BenchPostfix> {
    const [port, sinkPort] = [await freePort(), await freePort()];
    const [configuration, queue, data] = ['etc', 'queue', 'data'].map(name => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const made of [configuration, queue, data]) await mkdir(made, { recursive: true });
    await chmod(folder, 0o755);
    run('chown', ['postfix', data]);
    await writeFile(join(configuration, 'master.cf'), MASTER.replace(/^smtp {6}inet/m, `127.0.0.1:${port} inet`));
    await writeFile(join(configuration, 'main.cf'), mainSettings(queue, data, sinkPort, join(folder, 'postfix.log')));
    const sink = spawn(find('smtp-sink') as string, ['-c', '-u', 'postfix', `127.0.0.1:${sinkPort}`, '1000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      run(find('postfix') as string, ['-c', configuration, 'start']);
      const pid = await waitFor(async () => Number(await readFile(join(queue, 'pid/master.pid'), 'utf8')), {
        describe: 'the master process of Postfix',
      });
      const version = output(find('postconf') as string, ['-h', 'mail_version']) ?? 'unknown';
      return new BenchPostfix(configuration, port, sink, version, pid);
    } catch (error) {
      sink.kill();
      throw error;
    }
  }

  get processes(): Record<string, number> {
    return { postfix: this.masterPid, 'smtp-sink': this.sink.pid as number };
  }

  /** Feeds messages over `connections` sessions. @returns seconds until the last one had reached the sink. */
  async drain(messages: number, bytes: number, connections: number): Promise<number> {
    const before = this.delivered;
    const began = performance.now();
    const source = spawn(
      find('smtp-source') as string,
      [
        '-d',
        '-s',
        `${connections}`,
        '-l',
        `${bytes}`,
        '-m',
        `${messages}`,
        '-f',
        'bench@example.com',
        '-t',
        'ada@customers.test',
        `127.0.0.1:${this.port}`,
      ],
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
        describe: () => `${messages} messages through Postfix; ${this.delivered - before} came`,
      }),
    ]);
    return (performance.now() - began) / 1_000;
  }

  async stop(): Promise<void> {
    try {
      run(find('postfix') as string, ['-c', this.configuration, 'stop']);
    } finally {
      this.sink.kill();
    }
    await waitFor(async () => !(await readdir('/proc')).includes(String(this.masterPid)), {
      describe: 'the end of Postfix',
    });
  }
}

const run = (program: string, args: readonly string[]): void => {
  if (output(program, args) === undefined) throw new Error(`${program} ${args.join(' ')} failed`);
};

const mainSettings = (queue: string, data: string, sinkPort: number, log: string): string => `
compatibility_level = 3.6
queue_directory = ${queue}
data_directory = ${data}
maillog_file = ${log}
maillog_file_prefixes = ${log.slice(0, log.indexOf('/', 1))}
myhostname = postfix.bench.test
mydestination =
local_recipient_maps =
alias_maps =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
disable_dns_lookups = yes
smtpd_tls_security_level = none
smtp_tls_security_level = none
relayhost = [127.0.0.1]:${sinkPort}
smtpd_relay_restrictions = permit_mynetworks, reject
default_destination_concurrency_limit = 64
initial_destination_concurrency = 64
smtp_connection_cache_on_demand = yes
in_flow_delay = 0
`;
