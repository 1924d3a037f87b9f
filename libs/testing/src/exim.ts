import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExim, NSS_WRAPPER } from './exim-install.js';
import { type ParentGuard, releaseGuard, startParentGuard, untilExit, watchProcess } from './parent-guard.js';
import { NOBODY } from './program-folder.js';
import { waitFor } from './wait-for.js';

export interface EximOptions {
  /** The port for mail on the loopback interface. */
  readonly port: number;
  /** The SMTP server that receives all mail, except for the domains of `routes`. */
  readonly nextHopPort: number;
  /** Ports on the loopback interface by domain. */
  readonly routes?: Readonly<Record<string, number>>;
  /** Addresses whose mail is forwarded to another one. */
  readonly forwards?: Readonly<Record<string, string>>;
  /** Retry interval of deferred mail. */
  readonly retryEverySeconds?: number;
  /** Delay after which the sender gets a warning about a delayed message. */
  readonly warnAfterSeconds?: number;
}

interface Ids {
  readonly uid: number;
  readonly gid: number;
}

const configuration = (folder: string, program: string, { uid, gid }: Ids, options: EximOptions): string => {
  const { port, nextHopPort, routes = {}, forwards = {}, retryEverySeconds = 300, warnAfterSeconds = 86_400 } = options;
  const ports = [...new Set([...Object.values(routes), nextHopPort])];
  return `
exim_path = ${program}
exim_user = ${uid}
exim_group = ${gid}
never_users =
deliver_drop_privilege = true
keep_environment = LD_LIBRARY_PATH : LD_PRELOAD : NSS_WRAPPER_PASSWD : NSS_WRAPPER_GROUP
primary_hostname = relay.exim.test
spool_directory = ${folder}/spool
log_file_path = ${folder}/%s.log
pid_file_path = ${folder}/exim.pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
host_lookup =
rfc1413_query_timeout = 0s
tls_advertise_hosts =
dsn_advertise_hosts = *
smtputf8_advertise_hosts = *
acl_smtp_rcpt = accept
acl_smtp_data = accept
delay_warning = ${warnAfterSeconds}s
delay_warning_condition = yes
begin routers
${Object.entries(forwards)
  .map(
    ([from, to], index) =>
      `forward${index}:\n  driver = redirect\n  local_parts = ${from.split('@')[0]}\n  domains = ${from.split('@')[1]}\n  data = ${to}\n`,
  )
  .join('')}
${[...Object.entries(routes), ['*', nextHopPort] as const]
  .map(
    ([domain, to], index) =>
      `route${index}:\n  driver = manualroute\n  domains = ${domain}\n  transport = port${to}\n  route_list = * 127.0.0.1 byname\n  self = send\n`,
  )
  .join('')}
begin transports
${ports.map(to => `port${to}:\n  driver = smtp\n  port = ${to}\n  hosts_try_chunking =\n  hosts_try_fastopen =\n`).join('')}
begin retry
* * F,1h,${retryEverySeconds}s
`;
};

/** A real Exim with its own configuration and queue; the installation of the machine is not changed. */
export class EximServer {
  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
    private readonly guard: ParentGuard,
  ) {}

  /** @throws with the reason if Exim cannot run here, or with its log if it does not start. */
  static async start(options: EximOptions): Promise<EximServer> {
    const { program, libraries } = await findExim();
    const ids = process.getuid?.() === 0 ? NOBODY : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const folder = await mkdtemp(join(tmpdir(), 'postern-exim-'));
    await mkdir(join(folder, 'spool'));
    await writeFile(join(folder, 'exim.conf'), configuration(folder, program, ids, options), { mode: 0o644 });
    await writeFile(join(folder, 'passwd'), `Debian-exim:x:${ids.uid}:${ids.gid}::/:/bin/false\n`);
    await writeFile(join(folder, 'group'), `Debian-exim:x:${ids.gid}:\n`);
    await chmod(folder, 0o755);
    for (const own of [folder, join(folder, 'spool')]) await chown(own, ids.uid, ids.gid);
    const child = spawn(
      program,
      ['-C', join(folder, 'exim.conf'), '-bdf', `-q${options.retryEverySeconds ?? 300}s`, '-oP', join(folder, 'pid')],
      {
        ...(process.getuid?.() === 0 ? ids : {}),
        cwd: folder,
        stdio: 'ignore',
        env: {
          LD_LIBRARY_PATH: libraries,
          LD_PRELOAD: join(libraries, NSS_WRAPPER),
          NSS_WRAPPER_PASSWD: join(folder, 'passwd'),
          NSS_WRAPPER_GROUP: join(folder, 'group'),
        },
      },
    );
    const guard = startParentGuard({ removePath: folder });
    child.on('error', () => undefined);
    if (child.pid) watchProcess(guard, child.pid, 'TERM');
    const exim = new EximServer(folder, child, guard);
    try {
      await waitFor(() => answers(options.port), { describe: 'Exim to accept connections' });
      return exim;
    } catch (error) {
      const log = await exim.log();
      await exim.stop();
      throw new Error(`Exim did not start: ${(error as Error).message}\n${log}`, { cause: error });
    }
  }

  async log(): Promise<string> {
    const logs = ['main', 'panic', 'reject'].map(name => readFile(join(this.folder, `${name}.log`), 'utf8'));
    const read = await Promise.all(logs.map(log => log.catch(() => '')));
    return read.join('') || '(it logged nothing)';
  }

  async stop(): Promise<void> {
    const ended = untilExit(this.child);
    this.child.kill('SIGTERM');
    await ended;
    releaseGuard(this.guard);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.end('QUIT\r\n');
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
