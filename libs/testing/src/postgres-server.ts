import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { childProcesses, readLines } from './child-processes.js';
import {
  forgetProcess,
  type ParentGuard,
  releaseGuard,
  startParentGuard,
  untilExit,
  watchProcess,
} from './parent-guard.js';
import { findPostgres, planSpawn, runToEnd, type SystemUser, unprivilegedUser } from './postgres-binaries.js';
import { demandPassword } from './postgres-password.js';
import { waitFor } from './wait-for.js';

/** What to start; `dataDir` is created and initialised when it holds no cluster yet. */
export interface PostgresOptions {
  dataDir: string;
  port: number;
  /** Whom to run as when this process is root; the default is `unprivilegedUser()`. */
  user?: SystemUser;
  /** Password of the superuser `postgres`, also for a cluster made without; with none, local connections are trusted. */
  password?: string;
  /** false gives up durability for speed (no fsync, no waiting for the log): for tests only. */
  durable?: boolean;
  /** Settings for the command line, such as `{ max_connections: '200' }`. */
  settings?: Record<string, string>;
  /** File that takes the server's log; the default is `<dataDir>.log`. */
  logFile?: string;
  /** Takes the server's log line by line in place of the server, which then writes no file. */
  onLogLine?: (line: string) => void;
  /** Ends the server when this process ends, however it ends; on by default. */
  endWithParent?: boolean;
  /** The guard that ends the server; by default one of its own. */
  guard?: ParentGuard;
  /** Deleted after this process has ended without stopping the server. */
  removeDirWithParent?: string;
}

/** Everything about a running server that does not depend on the module instance that started it. */
export interface PostgresState {
  readonly options: PostgresOptions;
  readonly guard: ParentGuard | undefined;
  child: ChildProcess;
}

/** Starts PostgreSQL on the loopback interface and answers when it takes connections. */
export async function spawnPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const guard = options.endWithParent === false ? undefined : (options.guard ?? ownGuard(options));
  const { dataDir, password } = options;
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await initialise(options, userOf(options));
  else if (password) await demandPassword({ dataDir, password, user: userOf(options), environment: environment() });
  const server = new PostgresServer({ options, guard, child: await launch(options, guard) });
  try {
    await server.untilReady();
    return server;
  } catch (error) {
    await server.kill();
    throw error;
  }
}

/** A PostgreSQL server that this process started. */
export class PostgresServer {
  constructor(readonly state: PostgresState) {}

  get pid(): number {
    return this.state.child.pid ?? 0;
  }

  /** Connection string of the superuser, for the named database. */
  url(database = 'postgres'): string {
    const { password, port } = this.state.options;
    const credentials = password ? `postgres:${encodeURIComponent(password)}` : 'postgres';
    return `postgresql://${credentials}@127.0.0.1:${port}/${database}`;
  }

  get isRunning(): boolean {
    return this.state.child.exitCode === null && this.state.child.signalCode === null;
  }

  /** Resolves when the process has ended, for whatever reason. */
  async exited(): Promise<void> {
    await untilExit(this.state.child);
  }

  /** Stops it in an orderly way (PostgreSQL's "fast" shutdown: sessions are cut, data are flushed). */
  async stop(): Promise<void> {
    await this.end('SIGINT');
    if (this.state.guard && !this.state.options.guard) releaseGuard(this.state.guard);
  }

  /** kill -9 on all of its processes, as a crash of the machine would; the data directory stays as it is. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    // Without its postmaster a backend goes on, and commits, until it looks up; a stopped one starts no more of them.
    this.state.child.kill('SIGSTOP');
    const backends = await childProcesses(this.pid);
    await this.end('SIGKILL');
    for (const pid of backends) endAtOnce(pid);
  }

  /** Starts it again on the same data and the same port, ending it first where it still runs. */
  async restart(): Promise<void> {
    await this.end('SIGINT');
    this.state.child = await launch(this.state.options, this.state.guard);
    await this.untilReady();
  }

  /** Waits until a client can connect; a server that ended instead is reported with the end of its log. */
  async untilReady(): Promise<void> {
    // Backends of a killed postmaster hold its shared memory for a moment, and a new one refuses to start meanwhile.
    for (let relaunches = 0; ; relaunches += 1) {
      const answer = await waitFor(async () => (this.isRunning ? (await canConnect(this.url())) && 'ready' : 'ended'), {
        timeoutMs: 60_000,
        intervalMs: 20,
        describe: 'PostgreSQL to take connections',
      });
      if (answer === 'ready') return;
      const log = await readFile(logFileOf(this.state.options), 'utf8').catch(() => '');
      if (relaunches >= 50 || !log.slice(-2000).includes('pre-existing shared memory block')) {
        throw new Error(`PostgreSQL ended while starting:\n${log.slice(-2000)}`);
      }
      await new Promise(resolve => setTimeout(resolve, 100));
      this.state.child = await launch(this.state.options, this.state.guard);
    }
  }

  private async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    if (!this.isRunning) return;
    this.state.child.kill(signal);
    await untilExit(this.state.child);
  }
}

async function initialise(options: PostgresOptions, user: SystemUser | undefined): Promise<void> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  if (user) await chown(options.dataDir, user.uid, user.gid);
  const args = ['-D', options.dataDir, '-U', 'postgres', '-E', 'UTF8', '--no-instructions'];
  // The built-in provider sorts alike on every machine, whatever locales it has installed.
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  const passwordFile = `${options.dataDir}.password`;
  if (options.password) {
    await writeFile(passwordFile, options.password, { mode: 0o600 });
    if (user) await chown(passwordFile, user.uid, user.gid);
    args.push('--auth=scram-sha-256', `--pwfile=${passwordFile}`);
  } else {
    args.push('--auth=trust');
  }
  if (options.durable === false) args.push('--no-sync');
  try {
    await runToEnd(planSpawn(findPostgres().initdb, args, user, [options.dataDir]), environment());
  } finally {
    if (options.password) await rm(passwordFile, { force: true });
  }
}

async function launch(options: PostgresOptions, guard: ParentGuard | undefined): Promise<ChildProcess> {
  const relaxed = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...(options.durable === false ? relaxed : {}),
    ...options.settings,
  };
  const args = ['-D', options.dataDir, '-p', String(options.port)];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  const plan = planSpawn(findPostgres().postgres, args, userOf(options), [options.dataDir]);
  const log = options.onLogLine ? undefined : await open(logFileOf(options), 'a');
  try {
    // A group of its own: Ctrl-C in a terminal must reach the one who stops it in order, not the server directly.
    const child = spawn(plan.command, plan.args, {
      ...plan.ids,
      env: environment(),
      cwd: '/',
      detached: true,
      stdio: ['ignore', log?.fd ?? 'pipe', log?.fd ?? 'pipe'],
    });
    child.on('error', () => undefined);
    child.unref();
    if (options.onLogLine) readLines(child, options.onLogLine);
    const { pid } = child;
    if (guard && pid) {
      watchProcess(guard, pid, options.removeDirWithParent ? 'QUIT' : 'INT');
      child.once('exit', () => forgetProcess(guard, pid));
    }
    return child;
  } finally {
    await log?.close();
  }
}

const ownGuard = ({ removeDirWithParent }: PostgresOptions): ParentGuard =>
  startParentGuard({ removePath: removeDirWithParent });

const endAtOnce = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

const userOf = (options: PostgresOptions): SystemUser | undefined => options.user ?? unprivilegedUser();

const logFileOf = (options: PostgresOptions): string => options.logFile ?? `${options.dataDir}.log`;

const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' });

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
