import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { findNatsServer } from './nats-install.js';
import { spawnNats } from './nats-server.js';

/** Options of `startNats`. */
export interface TestNatsOptions {
  /** A release line; a patched server by default. */
  version?: '2.9' | '2.12';
  /** Kept by `stop`; by default a temporary folder that `stop` deletes. */
  storeDir?: string;
  port?: number;
  /** Further arguments of nats-server. */
  args?: string[];
}

/** A real NATS server with JetStream for a test. */
export interface TestNats {
  url: string;
  readonly pid: number;
  /** The running release, such as `2.9.10`. */
  version: string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Restarts the server on the same port; `wipe` deletes all streams. */
  restart(options?: { wipe?: boolean }): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a separate NATS server (about 50 ms); it ends with the process of the test at the latest. */
export async function startNats(options: TestNatsOptions = {}): Promise<TestNats> {
  const binary = await findNatsServer(options.version ? { version: options.version } : {});
  const port = options.port ?? (await freePort());
  const dir = await mkdtemp(join(tmpdir(), 'postern-nats-'));
  const server = await spawnNats({
    program: binary.path,
    port,
    storeDir: options.storeDir ?? join(dir, 'store'),
    logFile: join(dir, 'nats.log'),
    removeDirWithParent: dir,
    ...(options.args ? { args: options.args } : {}),
  });
  return {
    url: server.url,
    get pid() {
      return server.pid;
    },
    version: binary.version,
    kill: () => server.kill(),
    restart: wipe => server.restart(wipe),
    async stop() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
