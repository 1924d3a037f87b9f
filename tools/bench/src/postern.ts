import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DashboardClient,
  OPERATOR_EMAIL,
  type RunningPostern,
  type StartOptions,
  startPostern,
} from '@postern/local-start';
import type { Undo } from './undo.js';

export const SENDING_DOMAIN = 'example.com';
const NO_LIMIT = '1000000000';

/** Limits that are part of the product and not of what is measured. */
const LIFTED = {
  POSTERN_PRODUCTION_PER_MINUTE_LIMIT: NO_LIMIT,
  POSTERN_PRODUCTION_DAILY_START: NO_LIMIT,
  POSTERN_QUOTA_CEILING: NO_LIMIT,
};

/** A folder for one run, deleted at its end. */
export const temporaryFolder = async (undo: Undo, name: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), `postern-bench-${name}-`));
  // Web services and builds run as other users where we are root.
  await chmod(folder, 0o755);
  undo.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** All of Postern, every part a process of its own, as `npm start` runs it. */
export const startWhole = async (
  undo: Undo,
  environment: NonNullable<StartOptions['environment']> = {},
  onRestart: () => void = () => undefined,
): Promise<RunningPostern> => {
  const starting = startPostern({
    home: await temporaryFolder(undo, 'postern'),
    port: 0,
    environment: { ...environment, 'email-send': { ...LIFTED, ...environment['email-send'] } },
    onRestart,
    progress: step => console.error(`▸ ${step}`),
  });
  // Registered before it is up, so that an interrupt waits for the start and then stops everything.
  undo.push(() =>
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

/** An email service in production mode with open tracking, as an owner makes one. @returns its API key. */
export const productionService = async (running: RunningPostern): Promise<string> => {
  const dashboard = new DashboardClient(running.baseUrl);
  await dashboard.login(OPERATOR_EMAIL, running.operator.password);
  const { id } = await dashboard.post<{ id: string }>('/email-services', { name: 'Bench' });
  const service = `/email-services/${id}`;
  const { key } = await dashboard.post<{ key: string }>(`${service}/api-keys`, { name: 'bench' });
  const domain = await dashboard.post<Domain>(`${service}/domains`, { domain: SENDING_DOMAIN });
  for (const { name, value } of domain.records) running.dns.setText(name, value);
  const { status } = await dashboard.post<Domain>(`${service}/domains/${domain.id}/verify`, {});
  if (status !== 'verified') throw new Error(`the sending domain of the bench is ${status}`);
  const { open_tracking: tracked } = await dashboard.get<{ open_tracking: boolean }>(service);
  if (!tracked) throw new Error('open tracking is off, and the reference adds a pixel');
  return key;
};
