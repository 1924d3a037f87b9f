import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connectNats } from '@postern/messaging';
import { startService } from '@postern/service-host';
import { compileCache, freePort, startNats, type TestNats, waitFor } from '@postern/testing';
import { apiGateway } from '../api-gateway.module.js';
import { PublicServer } from '../public-server.js';
import { SubmissionListener } from '../submission/submission-listener.js';
import { FakeServices } from './fake-services.js';

export const LINK_SECRET = 'one secret of tracking links for specs only';

export interface GatewayUnderTest {
  readonly url: string;
  readonly port: number;
  /** Port of SMTP submission; 0 if it is disabled. */
  readonly submissionPort: number;
  readonly submissionTlsPort: number;
  /** URL of the operator's port. */
  readonly healthUrl: string;
  readonly server: PublicServer;
  readonly services: FakeServices;
  readonly nats: TestNats;
  /** Stops only the gateway; the fake services keep running. */
  stopGateway(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface Surroundings {
  readonly nats: TestNats;
  readonly services: FakeServices;
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** A NATS server with fake services, and the settings of a gateway on free ports. */
export const startDependencies = async (): Promise<Surroundings> => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-gateway-'));
  const settings = join(folder, 'nats.conf');
  await writeFile(settings, 'max_payload: 54525952\nmax_pending: 268435456\n');
  const nats = await startNats({ args: ['-c', settings] });
  const servicesLink = await connectNats({ servers: nats.url, name: 'fake services' });
  const services = new FakeServices(servicesLink);
  await services.start();
  await servicesLink.nc.flush();
  return {
    nats,
    services,
    environment: {
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_PORT: '0',
      POSTERN_PUBLIC_URL: 'http://gateway.test',
      POSTERN_LINK_SECRETS: LINK_SECRET,
      POSTERN_DASHBOARD_DIR: join(folder, 'dashboard'),
      POSTERN_DOCUMENTATION_DIR: join(folder, 'documentation'),
      // All calls of a test come from one caller.
      POSTERN_CALLER_REQUESTS_PER_SECOND: '1000000',
      POSTERN_CALLER_REQUESTS_AT_ONCE: '1000000',
      POSTERN_WORKSPACE_REQUESTS_PER_SECOND: '1000000',
    },
    async stop() {
      await services.stop();
      await servicesLink.close();
      await nats.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** The gateway on free ports, with fake services behind its own NATS server. */
export const startGateway = async (
  environment: Record<string, string> = {},
  output?: Parameters<typeof startService>[2],
): Promise<GatewayUnderTest> => {
  const dependencies = await startDependencies();
  const service = await startService(
    apiGateway,
    { ...dependencies.environment, POSTERN_LOG_LEVEL: 'silent', ...environment },
    output,
  );
  const server = service.app.get(PublicServer, { strict: false });
  const { port } = server;
  return {
    server,
    services: dependencies.services,
    nats: dependencies.nats,
    port,
    submissionPort: service.app.get(SubmissionListener, { strict: false }).port ?? 0,
    submissionTlsPort: service.app.get(SubmissionListener, { strict: false }).tlsPort ?? 0,
    url: `http://127.0.0.1:${port}`,
    healthUrl: `http://127.0.0.1:${service.port}`,
    stopGateway: () => service.stop(),
    async stop() {
      await service.stop();
      await dependencies.stop();
    },
  };
};

/** The built gateway as a separate process, whose CPU time can be measured. */
export interface GatewayProcess {
  readonly port: number;
  readonly url: string;
  readonly services: FakeServices;
  /** The lines that it has logged. */
  readonly logLines: readonly string[];
  /** User and system CPU time of the process so far. */
  cpuMs(): number;
  /** Resident memory of the process. */
  residentBytes(): number;
  stop(): Promise<void>;
}

export const startGatewayProcess = async (environment: Record<string, string> = {}): Promise<GatewayProcess> => {
  const dependencies = await startDependencies();
  const port = await freePort();
  const entry = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  const child = spawn(process.execPath, [entry], {
    env: {
      ...compileCache(),
      ...dependencies.environment,
      POSTERN_HTTP_PORT: '0',
      ...environment,
      POSTERN_PORT: String(port),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const logLines: string[] = [];
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on('line', line => logLines.push(line));
  }
  await waitFor(() => logLines.some(line => line.startsWith('{"ready":true')), {
    timeoutMs: 60_000,
    describe: () => logLines.join('\n'),
  });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    services: dependencies.services,
    logLines,
    cpuMs: () => {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // utime and stime in ticks of 10 ms.
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    residentBytes: () =>
      Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))?.[1]) * 1024,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await dependencies.stop();
    },
  };
};
