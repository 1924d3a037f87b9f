import { existsSync, readFileSync } from 'node:fs';
import { RECORD } from '../applying/changes.js';
import { planOf } from '../applying/plan.js';
import { nearestName } from '../configuration/nearest-name.js';
import { systemctl } from '../machine/run.js';
import { SecretStore } from '../machine/secret-store.js';
import { withLock } from '../operations/lock.js';
import { createRecoveryKey, hasRecoveryKey } from '../operations/recovery-key.js';
import { servicesOf, unitOf } from '../rendering/model.js';
import { BUCKET_SECRETS, GENERATED_SECRETS, type SecretName, secretsOf } from '../rendering/secrets.js';
import { UsageError } from '../usage-error.js';

type Print = (line: string) => void;

const NAMES: readonly SecretName[] = ['relay-password', ...BUCKET_SECRETS, ...GENERATED_SECRETS];

/** `secret set <name>`: replaces a secret by standard input, and restarts the services that use it. */
export const setSecret = (given: string, print: Print): Promise<void> => {
  const name = NAMES.find(each => each === given);
  if (name === undefined) {
    const nearest = nearestName(given, NAMES);
    throw new UsageError(
      `unknown secret: ${given}. ${nearest ? `Did you mean ${nearest}?` : `The secrets are ${NAMES.join(', ')}`}`,
    );
  }
  const text = readFileSync(0, 'utf8').replace(/\r?\n$/, '');
  if (text === '' || /[\r\n\0]/.test(text)) throw new UsageError('standard input must be the secret, in one line');
  return withLock(async () => {
    const store = new SecretStore();
    store.write(name, text);
    // No service uses them, and the configuration is not valid until both are there.
    if (BUCKET_SECRETS.includes(name)) return print(`Set ${name}.`);
    if (!existsSync(RECORD))
      return print(`Set ${name}. No units of Postern run here; for containers, run "postern config compose" again.`);
    const { model } = await planOf();
    const derived = store.derive(model.configuration);
    const changed = new Set<string>([name, ...derived]);
    const units = servicesOf(model.configuration).filter(service =>
      Object.values(secretsOf(service, model.configuration)).some(secret => changed.has(secret)),
    );
    const restarted = [...(changed.has('nats.env') ? [unitOf('nats')] : []), ...units.map(unitOf)];
    if (restarted.length > 0) await systemctl('try-restart', ...restarted);
    print(`Set ${name}. Restarted: ${restarted.join(', ') || 'nothing'}`);
  });
};

/** `recovery-key create`: replaces the recovery key of later backups. */
export const newRecoveryKey = (replace: boolean, print: Print): Promise<void> => {
  if (hasRecoveryKey() && !replace)
    throw new UsageError(
      'there is a recovery key; backups from now on would need another one. If you want that, add --replace',
    );
  return withLock(async () => {
    print('This key decrypts the secrets in backups from now on. It is stored nowhere; keep it in a safe place:');
    await createRecoveryKey(key => print(`  ${key}`));
  });
};
