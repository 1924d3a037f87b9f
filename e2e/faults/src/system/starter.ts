/** Runs the local start as a separate process, so that a fault can kill it. Ends with the run that started it. */
import { randomBytes } from 'node:crypto';
import {
  LIFTED_REQUEST_LIMITS,
  OPERATOR_EMAIL,
  type RunningPostern,
  type StartOptions,
  startPostern,
} from '@postern/local-start';
import type { Order, StarterMessage } from './starter-messages.js';

const send = (message: StarterMessage): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

/** May publish on every subject, which no service may. */
const superuser = { user: 'faults', password: `p${randomBytes(16).toString('hex')}` };

let running: RunningPostern | undefined;

const stop = async (code: number): Promise<never> => {
  await running?.stop();
  process.exit(code);
};

const obey = async (order: Order): Promise<void> => {
  if (order.kind === 'stop') await stop(0);
  if (order.kind === 'dns') running?.dns.setText(order.name, order.value);
  send({ kind: 'done', order: order.order, result: running?.processes() ?? {} });
};

// Ctrl-C reaches the whole process group; the run stops this process in order.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => void stop(1));
process.on('message', (order: Order) => void obey(order));

try {
  const options = JSON.parse(process.argv[2] ?? '{}') as StartOptions;
  const gateway = { ...LIFTED_REQUEST_LIMITS, ...options.environment?.['api-gateway'] };
  const environment = { ...options.environment, 'api-gateway': gateway };
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
      databaseUrl: running.postgres.url('postern_email_send'),
    },
  });
} catch (error) {
  send({ kind: 'failed', reason: (error as Error).message });
  process.exit(1);
}
