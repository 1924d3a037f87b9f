import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DashboardClient,
  LIFTED_CALLER_LIMITS,
  type RunningPostern,
  type StartOptions,
  startPostern,
} from '@postern/local-start';
import type { Cleanup } from '@postern/testing';

export const SENDING_DOMAIN = 'example.com';
const NO_LIMIT = '1000000000';

/** Lifts the product limits that the benchmark would exceed. */
const LIFTED = {
  POSTERN_PRODUCTION_PER_MINUTE_LIMIT: NO_LIMIT,
  POSTERN_PRODUCTION_DAILY_START: NO_LIMIT,
  POSTERN_QUOTA_CEILING: NO_LIMIT,
};

/** Limits of anonymous clients stay in place, because the attack benchmark measures them. */
export const lifted = (environment: NonNullable<StartOptions['environment']>) => ({
  ...environment,
  'email-send': { ...LIFTED, ...environment['email-send'] },
  'api-gateway': { ...LIFTED_CALLER_LIMITS, ...environment['api-gateway'] },
});

/** A directory for one run, deleted at its end. */
export const temporaryFolder = async (cleanup: Cleanup, name: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), `postern-bench-${name}-`));
  // As root, web services and builds run as other users.
  await chmod(folder, 0o755);
  cleanup.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** A complete Postern with separate processes, as `npm start` runs it. */
export const startWhole = async (
  cleanup: Cleanup,
  environment: NonNullable<StartOptions['environment']> = {},
  options: Pick<StartOptions, 'onRestart' | 'simulator' | 'natsSuperusers'> = {},
): Promise<RunningPostern> => {
  const starting = startPostern({
    home: await temporaryFolder(cleanup, 'postern'),
    port: 0,
    environment: lifted(environment),
    ...options,
    progress: step => console.error(`▸ ${step}`),
  });
  // Registered before the start completes, so that an interrupted start is stopped as well.
  cleanup.push(() =>
    starting.then(
      running => running.stop(),
      () => undefined,
    ),
  );
  return starting;
};

interface Domain {
  readonly id: string;
  readonly status: string;
  readonly records: readonly { readonly name: string; readonly value: string }[];
}

interface ServiceOptions {
  /** Signed in to the workspace of the service; that of the operator by default. */
  readonly dashboard?: DashboardClient;
  readonly domain?: string;
  /** URL for its delivered events. */
  readonly webhook?: string;
}

export const signIn = async (running: RunningPostern, { email, password } = running.operator) => {
  const dashboard = new DashboardClient(running.baseUrl);
  await dashboard.login(email, password);
  return dashboard;
};

/** Creates an email service in production mode with open tracking. @returns its API key. */
export const productionService = async (
  running: RunningPostern,
  { dashboard: given, domain: name = SENDING_DOMAIN, webhook }: ServiceOptions = {},
): Promise<string> => {
  const dashboard = given ?? (await signIn(running));
  const { id } = await dashboard.post<{ id: string }>('/email-services', { name: 'Bench' });
  const service = `/email-services/${id}`;
  const { key } = await dashboard.post<{ key: string }>(`${service}/api-keys`, { name: 'bench' });
  const domain = await dashboard.post<Domain>(`${service}/domains`, { domain: name });
  for (const { name, value } of domain.records) running.dns.setText(name, value);
  const { status } = await dashboard.post<Domain>(`${service}/domains/${domain.id}/verify`, {});
  if (status !== 'verified') throw new Error(`the sending domain of the benchmark is ${status}`);
  const { open_tracking: tracked } = await dashboard.get<{ open_tracking: boolean }>(service);
  if (!tracked) throw new Error('open tracking is off, but the reference adds a pixel');
  if (webhook) await dashboard.post(`${service}/webhooks`, { url: webhook, events: ['delivered'] });
  return key;
};
