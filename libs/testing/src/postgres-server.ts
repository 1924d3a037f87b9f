import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { childProcesses, readLines } from './child-processes.js';
import { killProcess } from './kill-process.js';
import {
  forgetProcess,
  type ParentGuard,
  releaseGuard,
  startParentGuard,
  untilExit,
  watchProcess,
} from './parent-guard.js';
import { findPostgres, planSpawn, type SystemUser, unprivilegedUser } from './postgres-binaries.js';
import { initialiseCluster, serverEnvironment } from './postgres-cluster.js';
import { type PeerSocket, preparePeerSocket } from './postgres-socket.js';
import { waitFor } from './wait-for.js';

/** The server to start; `dataDir` is initialised when it contains no cluster. */
export interface PostgresOptions {
  dataDir: string;
  port: number;
  /** The user of the server when this process is root; `unprivilegedUser()` by default. */
  user?: SystemUser;
  /** Creates the cluster of a folder without one; `initdb` by default. */
  create?: (dataDir: string) => Promise<void>;
  /**
   * Folder of a Unix socket, the only address of the server, for the user of this process only. Without it, the server
   * listens on the loopback interface and trusts every client; for tests.
   */
  socketFolder?: string;
  /** false trades durability for speed (no fsync, no waiting for the log); for tests only. */
  durable?: boolean;
  /** Settings on the command line, such as `{ max_connections: '200' }`. */
  settings?: Record<string, string>;
  /** Log file; `<dataDir>.log` by default. */
  logFile?: string;
  /** Receives log lines; no file is written then. */
  onLogLine?: (line: string) => void;
  /** Ends the server when this process ends in any way; on by default. */
  endWithParent?: boolean;
  /** The guard that ends the server; a new one by default. */
  guard?: ParentGuard;
  /** Deleted after this process has ended without stopping the server. */
  removeDirWithParent?: string;
}

/** The state of a running server. */
export interface PostgresState {
  readonly options: PostgresOptions;
  readonly guard: ParentGuard | undefined;
  readonly socket: PeerSocket | undefined;
  child: ChildProcess;
}

/** Starts PostgreSQL; resolves when it accepts connections. */
export async function spawnPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const guard = options.endWithParent === false ? undefined : (options.guard ?? ownGuard(options));
  const { dataDir, socketFolder, port } = options;
  if (!existsSync(join(dataDir, 'PG_VERSION')))
    await (options.create?.(dataDir) ??
      initialiseCluster({ ...options, user: userOf(options), trusting: socketFolder === undefined }));
  const socket = socketFolder ? await preparePeerSocket(socketFolder, port, userOf(options)) : undefined;
  const server = new PostgresServer({ options, guard, socket, child: await launch(options, guard, socket) });
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

  /** Connection string of the superuser for a database. */
  url(database = 'postgres'): string {
    const { options, socket } = this.state;
    if (!socket) return `postgresql://postgres@127.0.0.1:${options.port}/${database}`;
    return `postgresql://postgres@localhost:${options.port}/${database}?host=${encodeURIComponent(socket.folder)}`;
  }

  get isRunning(): boolean {
    return this.state.child.exitCode === null && this.state.child.signalCode === null;
  }

  /** Resolves when the process has ended for any reason. */
  async exited(): Promise<void> {
    await untilExit(this.state.child);
  }

  /** Stops the server (fast shutdown: sessions are terminated, data are flushed). */
  async stop(): Promise<void> {
    await this.end('SIGINT');
    if (this.state.socket) await rm(this.state.socket.folder, { recursive: true, force: true });
    if (this.state.guard && !this.state.options.guard) releaseGuard(this.state.guard);
  }

  /** Kills all processes of the server with SIGKILL; the data directory is kept. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    // A backend continues and commits without its postmaster until it checks; a stopped postmaster starts no new
    // backends.
    this.state.child.kill('SIGSTOP');
    const backends = await childProcesses(this.pid);
    await this.end('SIGKILL');
    for (const pid of backends) killProcess(pid);
  }

  /** Restarts the server on the same data and port, after stopping it if it runs. */
  async restart(): Promise<void> {
    await this.end('SIGINT');
    this.state.child = await launch(this.state.options, this.state.guard, this.state.socket);
    await this.untilReady();
  }

  /** Waits until a client can connect; rejects with the end of the log if the server ended. */
  async untilReady(): Promise<void> {
    // Backends of a killed postmaster hold its shared memory briefly; a new postmaster cannot start until then.
    for (let relaunches = 0; ; relaunches += 1) {
      const answer = await waitFor(async () => (this.isRunning ? (await canConnect(this.url())) && 'ready' : 'ended'), {
        timeoutMs: 60_000,
        intervalMs: 20,
        describe: 'PostgreSQL to take connections',
      });
      if (answer === 'ready') return;
      const log = await readFile(logFileOf(this.state.options), 'utf8').catch(() => '');
      if (relaunches >= 50 || !log.slice(-2000).includes('pre-existing shared memory block')) {
        throw new Error(`PostgreSQL exited during its start:\n${log.slice(-2000)}`);
      }
      await new Promise(resolve => setTimeout(resolve, 100));
      this.state.child = await launch(this.state.options, this.state.guard, this.state.socket);
    }
  }

  private async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    if (!this.isRunning) return;
    this.state.child.kill(signal);
    await untilExit(this.state.child);
  }
}

async function launch(
  options: PostgresOptions,
  guard: ParentGuard | undefined,
  socket: PeerSocket | undefined,
): Promise<ChildProcess> {
  const relaxed = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...(options.durable === false ? relaxed : {}),
    ...socket?.settings,
    ...options.settings,
  };
  const args = ['-D', options.dataDir, '-p', String(options.port)];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  const plan = planSpawn(findPostgres().postgres, args, userOf(options), [
    options.dataDir,
    ...(socket ? [join(socket.folder, 'pg_hba.conf')] : []),
  ]);
  const log = options.onLogLine ? undefined : await open(logFileOf(options), 'a');
  try {
    // A separate process group: Ctrl-C in a terminal must not reach the server directly.
    const child = spawn(plan.command, plan.args, {
      ...plan.ids,
      env: serverEnvironment(),
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

const userOf = (options: PostgresOptions): SystemUser | undefined => options.user ?? unprivilegedUser();

const logFileOf = (options: PostgresOptions): string => options.logFile ?? `${options.dataDir}.log`;

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
