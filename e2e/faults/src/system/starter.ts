/** Runs the local start as a separate process, so that a fault can kill it. Ends with the run that started it. */
import { randomBytes } from 'node:crypto';
import {
  LIFTED_REQUEST_LIMITS,
  OPERATOR_EMAIL,
  type RunningPostern,
  type StartOptions,
  startPostern,
} from '@postern/local-start';
import type { ServiceWithDatabase } from '@postern/testing';
import { Databases } from './databases.js';
import type { Order, StarterMessage } from './starter-messages.js';
import type { StarterOptions } from './starter-options.js';

const send = (message: StarterMessage): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

/** May publish on every subject, which no service may. */
const superuser = { user: 'faults', password: `p${randomBytes(16).toString('hex')}` };

let running: RunningPostern | undefined;
let databases: Databases | undefined;

const stop = async (code: number): Promise<never> => {
  await running?.stop();
  await databases?.stop();
  process.exit(code);
};

const obey = async (order: Order): Promise<void> => {
  if (order.kind === 'stop') await stop(0);
  if (order.kind === 'dns') running?.dns.setText(order.name, order.value);
  if (order.kind === 'backup') await databases?.backUp(order.services);
  if (running && order.kind === 'restore') await databases?.restore(running, order.services);
  send({
    kind: 'done',
    order: order.order,
    result: running ? { ...running.processes(), ...databases?.processes() } : {},
  });
};

const withDatabases = (environment: NonNullable<StartOptions['environment']>): typeof environment => ({
  ...environment,
  ...Object.fromEntries(
    Object.entries(databases?.urls ?? {}).map(([service, url]) => [
      service,
      { ...environment[service as ServiceWithDatabase], POSTERN_DATABASE_URL: url },
    ]),
  ),
});

// Ctrl-C reaches the whole process group; the run stops this process in order.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => void stop(1));
process.on('message', (order: Order) => void obey(order));

try {
  const { clusters, ...options } = JSON.parse(process.argv[2] ?? '{}') as StarterOptions;
  if (clusters) databases = await Databases.start(options.home);
  const gateway = { ...LIFTED_REQUEST_LIMITS, ...options.environment?.['api-gateway'] };
  const environment = withDatabases({ ...options.environment, 'api-gateway': gateway });
  running = await startPostern({ ...options, environment, natsSuperusers: [superuser] });
  send({
    kind: 'started',
    started: {
      baseUrl: running.baseUrl,
      operator: { email: OPERATOR_EMAIL, password: running.operator.password },
      natsUrl: running.nats.url,
      natsCaFile: running.wiring.natsCaFile,
      natsUser: superuser.user,
      natsPassword: superuser.password,
      databaseUrl: databases?.urls['email-send'] ?? running.postgres.url('postern_email_send'),
      databasePorts: databases?.ports ?? {},
    },
  });
} catch (error) {
  send({ kind: 'failed', reason: (error as Error).message });
  process.exit(1);
}
