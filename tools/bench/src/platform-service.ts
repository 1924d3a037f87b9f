import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient, DashboardClient, OPERATOR_EMAIL, type RunningPostern } from '@postern/local-start';
import { temporaryFolder } from './postern.js';
import type { Undo } from './undo.js';

interface Deployment {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
}

const LOOK_EVERY_MS = 20;
/** What takes minutes is looked at seldom: the service under load needs the processors. */
const LOOK_AT_SCALE_EVERY_MS = 1_000;
const WITHIN_MS = 120_000;
const OVER = ['failed', 'cancelled', 'superseded', 'rolled_back'];

/** Answers its version; `/burn` keeps a processor busy for 20 ms first. */
const server = (version: number): string => `
  const { createServer } = require('node:http');
  const server = createServer((request, response) => {
    if (request.url === '/burn') for (const end = Date.now() + 20; Date.now() < end; );
    response.end('${version}');
  });
  server.listen(process.env.PORT);
  process.on('SIGTERM', () => server.close());
`;

/** A small Node.js service of the bench, deployed through the public API as a user would. */
export class BenchService {
  private version = 0;

  private constructor(
    readonly api: ApiClient,
    readonly key: string,
    readonly id: string,
    private readonly repository: string,
  ) {}

  static async create(running: RunningPostern, undo: Undo): Promise<BenchService> {
    const dashboard = new DashboardClient(running.baseUrl);
    await dashboard.login(OPERATOR_EMAIL, running.operator.password);
    const { key } = await dashboard.post<{ key: string }>('/platform-keys', { name: 'bench', scope: 'write' });
    const api = new ApiClient(`${running.baseUrl}/api/v1`, key);
    const repository = await temporaryFolder(undo, 'repository');
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
    const began = performance.now();
    const { id } = await this.api.post<Deployment>(`${this.path}/deployments`, {});
    await this.untilLive(id);
    return { id, seconds: (performance.now() - began) / 1_000, version };
  }

  /** @returns the seconds from the request until the earlier version answers. */
  async rollBack(deploymentId: string, version: number): Promise<number> {
    const began = performance.now();
    const { id } = await this.api.post<Deployment>(`${this.path}/deployments/${deploymentId}/rollback`);
    const url = await this.url();
    while ((await (await fetch(url)).text()) !== String(version)) await this.look(began, 'the rollback to answer');
    const seconds = (performance.now() - began) / 1_000;
    await this.untilLive(id);
    return seconds;
  }

  async restart(): Promise<void> {
    const began = performance.now();
    await this.api.post(`${this.path}/restart`);
    while ((await this.api.get<{ status: string }>(this.path)).status !== 'running')
      await this.look(began, 'the restart');
  }

  /** Waits until so many instances run, as the platform's own metrics tell. */
  async untilInstances(count: number, withinMs: number): Promise<void> {
    const began = performance.now();
    while ((await this.api.get<{ instances: number }>(`${this.path}/metrics`)).instances !== count)
      await this.look(began, `${count} instances`, withinMs, LOOK_AT_SCALE_EVERY_MS);
  }

  private async untilLive(id: string): Promise<void> {
    const began = performance.now();
    for (;;) {
      const { status, error } = await this.api.get<Deployment>(`${this.path}/deployments/${id}`);
      if (status === 'live') return;
      if (OVER.includes(status)) throw new Error(`a deployment of the bench is ${status}: ${error}`);
      await this.look(began, 'a deployment');
    }
  }

  private async look(began: number, what: string, withinMs = WITHIN_MS, everyMs = LOOK_EVERY_MS): Promise<void> {
    if (performance.now() - began > withinMs) throw new Error(`waited ${withinMs / 1_000} s for ${what}`);
    await pause(everyMs);
  }
}
