import { join } from 'node:path';
import { RELEASE } from '../applying/plan.js';
import { run } from '../machine/run.js';
import { SecretStore } from '../machine/secret-store.js';
import { PLACES, PORTS } from '../rendering/places.js';

const PROGRAM = join(RELEASE, 'tools/command/dist/main.js');

/** The settings with which the commands for administrators reach NATS. */
const environment = (): Readonly<Record<string, string>> => ({
  POSTERN_NATS_SERVERS: `tls://127.0.0.1:${PORTS.nats}`,
  POSTERN_NATS_CA_FILE: `${PLACES.natsTls}/ca.crt`,
  POSTERN_NATS_USER: 'operator',
  POSTERN_NATS_PASSWORD: new SecretStore().read('nats-operator') ?? '',
});

/** Runs a command for administrators, such as `users create`. */
export const administer = (args: readonly string[]): Promise<boolean> =>
  run(process.execPath, [PROGRAM, ...args], { inherit: true, environment: environment() }).then(
    () => true,
    () => false,
  );

/** Standard output of a command for administrators. It ends with 1 if a check failed, which is no error here. */
export const administrationOutput = (args: readonly string[], timeoutMs: number): Promise<string> =>
  run('sh', ['-c', '"$@" || [ $? = 1 ]', 'sh', process.execPath, PROGRAM, ...args], {
    environment: environment(),
    timeoutMs,
  });
