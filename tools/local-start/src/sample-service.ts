import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { ApiClient } from './api-client.js';
import type { Home } from './home.js';

const SAMPLE = join(import.meta.dirname, '../sample');
const LIVE_WITHIN_MS = 180_000;
/** Pauses between polls: the budget is 30 calls per minute and key, shared with other calls. */
const FIRST_POLL_AFTER_MS = 500;
const LAST_POLL_AFTER_MS = 4_000;
const OVER = ['failed', 'cancelled', 'superseded', 'rolled_back'];

/** The ids of the sample, stored for later starts. */
interface KnownSample {
  readonly project_id: string;
  readonly web_service_id: string;
}

interface WebService {
  readonly id: string;
  readonly status: string;
  readonly status_reason: string | null;
  readonly url: string | null;
}

interface Deployment {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
}

/** The sample as shown in the summary. */
export interface RunningSample {
  readonly webServiceId: string;
  readonly url: string;
  readonly repository: string;
}

/**
 * Creates a repository of the sample at the first start and deploys it through the platform's public API; later starts
 * reuse it.
 * @returns undefined if Git is not installed.
 */
export const deploySample = async (
  platform: ApiClient,
  home: Home,
  progress: (step: string) => void,
): Promise<RunningSample | undefined> => {
  const repository = home.openPath('sample-repository');
  if (!(await makeRepository(repository))) {
    progress('leaving out the sample web service, for there is no git on this machine');
    return undefined;
  }
  const known = home.read<KnownSample>('sample.json') ?? (await createSample(platform, home, repository));
  const path = `/web-services/${known.web_service_id}`;
  const service = await platform.get<WebService>(path);
  if (service.status === 'created' || service.status === 'failed') {
    progress('deploying a sample web service from a repository of its own');
    await goLive(platform, path);
  } else if (service.status === 'stopped') {
    await platform.post(`${path}/start`);
  }
  return { webServiceId: service.id, url: await answering(platform, path), repository };
};

/** Pauses between polls: short at first, because a small build takes a second, then longer. */
class PollPauses {
  private ms = FIRST_POLL_AFTER_MS;

  async next(): Promise<void> {
    await pause(this.ms);
    this.ms = Math.min(this.ms * 1.4, LAST_POLL_AFTER_MS);
  }
}

const git = async (directory: string, ...args: string[]): Promise<void> => {
  const identity = ['-c', 'user.name=Postern', '-c', 'user.email=owner@example.com', '-c', 'commit.gpgSign=false'];
  await promisify(execFile)('git', [...identity, '-C', directory, ...args]);
};

/** False if Git is not installed. */
const makeRepository = async (directory: string): Promise<boolean> => {
  if (existsSync(join(directory, '.git', 'refs', 'heads', 'main'))) return true;
  // Left by an interrupted start.
  rmSync(directory, { recursive: true, force: true });
  cpSync(SAMPLE, directory, { recursive: true });
  try {
    await git(directory, 'init', '-q', '-b', 'main');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  await git(directory, 'add', '.');
  await git(directory, 'commit', '-q', '-m', 'A web service that says hello');
  // If Postern runs as root, builds run as another user.
  chmodSync(directory, 0o755);
  return true;
};

const createSample = async (platform: ApiClient, home: Home, repository: string): Promise<KnownSample> => {
  const project = await platform.post<{ id: string }>('/projects', {
    name: 'Demo',
    description: 'Made by the local start',
  });
  const service = await platform.post<WebService>('/web-services', {
    name: 'hello',
    project_id: project.id,
    git_repository_url: pathToFileURL(repository).href,
    build_command: 'npm run build',
    health_check_path: '/',
    port: 3000,
    min_instances: 1,
    max_instances: 2,
  });
  const made = { project_id: project.id, web_service_id: service.id };
  home.write('sample.json', made);
  return made;
};

const goLive = async (platform: ApiClient, path: string): Promise<void> => {
  const { id } = await platform.post<Deployment>(`${path}/deployments`, {});
  const deadline = Date.now() + LIVE_WITHIN_MS;
  const polls = new PollPauses();
  while (Date.now() < deadline) {
    const deployment = await platform.get<Deployment>(`${path}/deployments/${id}`);
    if (deployment.status === 'live') return;
    if (OVER.includes(deployment.status))
      throw new Error(
        `the sample's deployment ended as ${deployment.status}: ${deployment.error ?? 'no reason given'}`,
      );
    await polls.next();
  }
  throw new Error(`the sample was not live within ${LIVE_WITHIN_MS / 1000} s`);
};

/** @returns the URL once it responds. */
const answering = async (platform: ApiClient, path: string): Promise<string> => {
  const deadline = Date.now() + LIVE_WITHIN_MS;
  const polls = new PollPauses();
  let last = '';
  while (Date.now() < deadline) {
    const { url, status, status_reason } = await platform.get<WebService>(path);
    if (status === 'failed') throw new Error(`the sample web service failed: ${status_reason ?? 'no reason given'}`);
    if (url) {
      const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch((error: Error) => error);
      if (answer instanceof Response && answer.ok) return url;
      last = answer instanceof Response ? `status ${answer.status}` : answer.message;
    }
    await polls.next();
  }
  throw new Error(`the sample web service did not answer within ${LIVE_WITHIN_MS / 1000} s: ${last}`);
};
