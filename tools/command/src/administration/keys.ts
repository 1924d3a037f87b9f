import { randomBytes } from 'node:crypto';
import { SERVICE_NAMES, type ServiceName } from '@postern/contracts';
import { table } from '../output/table.js';
import { type Operator, requestFromAll, requestOperation, type ServiceResult } from './operator.js';

type EncryptingService = Extract<ServiceResult<'countSealedValues'>, { reply: unknown }>;

/** `keys status`: the number of values that each key of POSTERN_ENCRYPTION_KEYS encrypts. */
export const keysStatus = async (operator: Operator): Promise<boolean> => {
  const results = await requestFromAll(operator, SERVICE_NAMES, 'countSealedValues', {});
  const rows = results.flatMap(result =>
    'failure' in result
      ? [[result.service, result.failure, '', '', '']]
      : result.reply.sealing_key === null
        ? [[result.service, 'no encrypted data', '', '', '']]
        : rowsOf(result),
  );
  operator.print(table(['SERVICE', 'KIND', 'KEY', 'VALUES', 'STATUS'], rows));
  return results.every(result => 'reply' in result && olderIn(result) === 0);
};

/** `keys rotate`: re-encrypts all values with the first key, or explains how to add a new one. */
export const rotateKeys = async (operator: Operator): Promise<boolean> => {
  const results = await requestFromAll(operator, SERVICE_NAMES, 'countSealedValues', {});
  const unavailable = results.filter(result => 'failure' in result);
  if (unavailable.length > 0)
    throw new Error(`${unavailable.map(({ service }) => service).join(', ')} did not respond. Start it first.`);
  const encrypting = results.filter(
    (result): result is EncryptingService => 'reply' in result && result.reply.sealing_key !== null,
  );
  const firstKeys = new Set(encrypting.map(({ reply }) => reply.sealing_key));
  if (firstKeys.size > 1)
    throw new Error(
      `The services have different first keys: ${encrypting.map(({ service, reply }) => `${service} ${reply.sealing_key}`).join(', ')}. Set the same POSTERN_ENCRYPTION_KEYS for all of them and restart them.`,
    );
  if (encrypting.every(({ reply }) => reply.known_keys.length === 1)) {
    operator.print(rotationGuide([...firstKeys][0] as string));
    return true;
  }
  for (const { service } of encrypting) {
    const { total, undecryptable } = await reencryptAll(operator, service);
    operator.print(`${service}: re-encrypted ${total} values`);
    for (const value of undecryptable) operator.print(`  cannot decrypt ${value}`);
  }
  const done = await keysStatus(operator);
  const older = [
    ...new Set(encrypting.flatMap(({ reply }) => reply.known_keys.filter(id => id !== reply.sealing_key))),
  ];
  if (done)
    operator.print(
      `\nNo values use ${older.join(', ')} any more. Verification codes are hashed with it for up to 24 hours. After ` +
        'that, remove it from POSTERN_ENCRYPTION_KEYS and restart the services. Keep it as long as you keep backups.',
    );
  return done;
};

const reencryptAll = async (operator: Operator, service: ServiceName) => {
  for (let total = 0; ; ) {
    const { resealed, unopened = [] } = await requestOperation(operator, service, 'resealValues', {});
    if (resealed === 0) return { total, undecryptable: unopened };
    total += resealed;
  }
};

/** `keys generate`: prints a new entry for POSTERN_ENCRYPTION_KEYS and a new secret for POSTERN_LINK_SECRETS. */
export const generateKeys = async ({ print }: Pick<Operator, 'print'>): Promise<boolean> => {
  print(`encryption key  ${newKey()}`);
  print(`link secret     ${randomBytes(32).toString('base64url')}`);
  return true;
};

const newKey = (): string => {
  const now = new Date().toISOString();
  return `${now.slice(0, 19).replaceAll(/[-:T]/g, '')}:${randomBytes(32).toString('base64')}`;
};

const rotationGuide = (
  currentKey: string,
): string => `All values are encrypted with the only key, ${currentKey}. To rotate it:

  1. Add a new key at the front, for all services:
       POSTERN_ENCRYPTION_KEYS=${newKey()},${currentKey}:…
  2. Restart email-send, webhook-dispatch and platform-management, one after the other.
     Replicas that do not know the new key cannot decrypt values that others have encrypted with it. To avoid
     failures, add the new key at the end first, restart, move it to the front, and restart again.
  3. Run postern keys rotate to re-encrypt the values of the old key.
  4. After a day, remove the old key and restart again.

Rotate link secrets (POSTERN_LINK_SECRETS) in the same way in api-gateway, email-send and delivery-tracking. Nothing is
stored with them. Keep the old secret as long as links and return paths of mail that was sent with it must work.`;

const rowsOf = ({ service, reply }: EncryptingService) =>
  reply.counts.length === 0
    ? [[service, 'no values yet', reply.sealing_key ?? '', 0, 'current']]
    : reply.counts.map(({ kind, key_id, values }) => [
        service,
        kind,
        key_id,
        values,
        key_id === reply.sealing_key ? 'current' : reply.known_keys.includes(key_id) ? 'older' : 'LOST KEY',
      ]);

const olderIn = ({ reply }: EncryptingService): number =>
  reply.counts.filter(({ key_id }) => key_id !== reply.sealing_key).reduce((sum, { values }) => sum + values, 0);
