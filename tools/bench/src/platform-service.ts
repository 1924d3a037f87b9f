import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient, DashboardClient, OPERATOR_EMAIL, type RunningPostern } from '@postern/local-start';
import type { Cleanup } from '@postern/testing';
import { temporaryFolder } from './postern.js';

interface Deployment {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
}

const POLL_MS = 20;
/** Slow operations are polled rarely, because the service under load needs the CPU. */
const SCALE_POLL_MS = 1_000;
const WITHIN_MS = 120_000;
const OVER = ['failed', 'cancelled', 'superseded', 'rolled_back'];

/** Responds with its version; `/burn` uses the CPU for 20 ms first. */
const server = (version: number): string => `
  const { createServer } = require('node:http');
  const server = createServer((request, response) => {
    if (request.url === '/burn') for (const end = Date.now() + 20; Date.now() < end; );
    response.end('${version}');
  });
  server.listen(process.env.PORT);
  process.on('SIGTERM', () => server.close());
`;

/** A small Node.js service, deployed through the public API. */
export class BenchService {
  private version = 0;

  private constructor(
    readonly api: ApiClient,
    readonly key: string,
    readonly id: string,
    private readonly repository: string,
  ) {}

  static async create(running: RunningPostern, cleanup: Cleanup): Promise<BenchService> {
    const dashboard = new DashboardClient(running.baseUrl);
    await dashboard.login(OPERATOR_EMAIL, running.operator.password);
    const { key } = await dashboard.post<{ key: string }>('/platform-keys', { name: 'bench', scope: 'write' });
    const api = new ApiClient(`${running.baseUrl}/api/v1`, key);
    const repository = await temporaryFolder(cleanup, 'repository');
    chmodSync(repository, 0o755);
    execFileSync('git', ['-C', repository, 'init', '-q', '-b', 'main']);
    const project = await api.post<{ id: string }>('/projects', { name: 'Bench' });
    const { id } = await api.post<{ id: string }>('/web-services', {
      name: 'bench',
      project_id: project.id,
      git_repository_url: `file://${repository}`,
      start_command: 'node server.js',
      health_check_path: '/',
      port: 3000,
      min_instances: 1,
      max_instances: 2,
    });
    return new BenchService(api, key, id, repository);
  }

  get path(): string {
    return `/web-services/${this.id}`;
  }

  async url(): Promise<string> {
    return (await this.api.get<{ url: string }>(this.path)).url;
  }

  /** Commits a new version and deploys it. @returns its id and the seconds from the request until it was live. */
  async deploy(): Promise<{ readonly id: string; readonly seconds: number; readonly version: number }> {
    const version = ++this.version;
    writeFileSync(join(this.repository, 'server.js'), server(version));
    const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', '-c', 'commit.gpgSign=false'];
    execFileSync('git', ['-C', this.repository, 'add', '.']);
    execFileSync('git', [...identity, '-C', this.repository, 'commit', '-q', '-m', `Version ${version}`]);
    const startedAt = performance.now();
    const { id } = await this.api.post<Deployment>(`${this.path}/deployments`, {});
    await this.untilLive(id);
    return { id, seconds: (performance.now() - startedAt) / 1_000, version };
  }

  /** @returns the seconds from the request until the earlier version responds. */
  async rollBack(deploymentId: string, version: number): Promise<number> {
    const startedAt = performance.now();
    const { id } = await this.api.post<Deployment>(`${this.path}/deployments/${deploymentId}/rollback`);
    const url = await this.url();
    while ((await (await fetch(url)).text()) !== String(version))
      await this.pauseUntilDeadline(startedAt, 'the rolled back version');
    const seconds = (performance.now() - startedAt) / 1_000;
    await this.untilLive(id);
    return seconds;
  }

  async restart(): Promise<void> {
    const startedAt = performance.now();
    await this.api.post(`${this.path}/restart`);
    while ((await this.api.get<{ status: string }>(this.path)).status !== 'running')
      await this.pauseUntilDeadline(startedAt, 'the restart');
  }

  /** Waits until the metrics of the platform show `count` instances. */
  async untilInstances(count: number, withinMs: number): Promise<void> {
    const startedAt = performance.now();
    while ((await this.api.get<{ instances: number }>(`${this.path}/metrics`)).instances !== count)
      await this.pauseUntilDeadline(startedAt, `${count} instances`, withinMs, SCALE_POLL_MS);
  }

  private async untilLive(id: string): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const { status, error } = await this.api.get<Deployment>(`${this.path}/deployments/${id}`);
      if (status === 'live') return;
      if (OVER.includes(status)) throw new Error(`a deployment of the benchmark is ${status}: ${error}`);
      await this.pauseUntilDeadline(startedAt, 'a deployment');
    }
  }

  private async pauseUntilDeadline(
    startedAt: number,
    what: string,
    withinMs = WITHIN_MS,
    everyMs = POLL_MS,
  ): Promise<void> {
    if (performance.now() - startedAt > withinMs) throw new Error(`waited ${withinMs / 1_000} s for ${what}`);
    await pause(everyMs);
  }
}
