import { randomBytes } from 'node:crypto';
import { SERVICE_NAMES, type ServiceName } from '@postern/contracts';
import { type Answered, ask, askAll, type Operator } from '../operator.js';
import { table } from '../table.js';

type Sealed = Extract<Answered<'countSealedValues'>, { reply: unknown }>;

/** `keys status`: how much lies sealed under which key of POSTERN_ENCRYPTION_KEYS. */
export const keysStatus = async (operator: Operator): Promise<boolean> => {
  const answers = await askAll(operator, SERVICE_NAMES, 'countSealedValues', {});
  const rows = answers.flatMap(answer =>
    'failure' in answer
      ? [[answer.service, answer.failure, '', '', '']]
      : answer.reply.sealing_key === null
        ? [[answer.service, 'seals nothing', '', '', '']]
        : rowsOf(answer),
  );
  operator.print(table(['SERVICE', 'WHAT', 'KEY', 'VALUES', 'STATE'], rows));
  return answers.every(answer => 'reply' in answer && olderIn(answer) === 0);
};

/** `keys rotate`: what to set, or, once it is set, everything sealed again under the first key. */
export const rotateKeys = async (operator: Operator): Promise<boolean> => {
  const answers = await askAll(operator, SERVICE_NAMES, 'countSealedValues', {});
  const away = answers.filter(answer => 'failure' in answer);
  if (away.length > 0)
    throw new Error(`${away.map(({ service }) => service).join(', ')} does not answer; start it first`);
  const sealing = answers.filter((answer): answer is Sealed => 'reply' in answer && answer.reply.sealing_key !== null);
  const first = new Set(sealing.map(({ reply }) => reply.sealing_key));
  if (first.size > 1)
    throw new Error(
      `the services do not agree on the first key: ${sealing.map(({ service, reply }) => `${service} ${reply.sealing_key}`).join(', ')}. Give all of them the same POSTERN_ENCRYPTION_KEYS and restart them`,
    );
  if (sealing.every(({ reply }) => reply.known_keys.length === 1)) {
    operator.print(guide([...first][0] as string));
    return true;
  }
  for (const { service } of sealing) {
    const { total, unopened } = await resealAll(operator, service);
    operator.print(`${service}: sealed ${total} values again`);
    for (const value of unopened) operator.print(`  no key opens ${value}`);
  }
  const done = await keysStatus(operator);
  const older = [...new Set(sealing.flatMap(({ reply }) => reply.known_keys.filter(id => id !== reply.sealing_key)))];
  if (done)
    operator.print(
      `\nNothing lies under ${older.join(', ')} any more. Codes of recipients are hashed under it for up to 24 hours; ` +
        'after that, take it out of POSTERN_ENCRYPTION_KEYS and restart the services. Backups need it for as long as you keep them.',
    );
  return done;
};

const resealAll = async (operator: Operator, service: ServiceName) => {
  for (let total = 0; ; ) {
    const { resealed, unopened = [] } = await ask(operator, service, 'resealValues', {});
    if (resealed === 0) return { total, unopened };
    total += resealed;
  }
};

/** `keys generate`: a new entry for POSTERN_ENCRYPTION_KEYS and a new secret for POSTERN_LINK_SECRETS. */
export const generateKeys = async ({ print }: Pick<Operator, 'print'>): Promise<boolean> => {
  print(`encryption key  ${newKey()}`);
  print(`link secret     ${randomBytes(32).toString('base64url')}`);
  return true;
};

const newKey = (): string => {
  const now = new Date().toISOString();
  return `${now.slice(0, 19).replaceAll(/[-:T]/g, '')}:${randomBytes(32).toString('base64')}`;
};

const guide = (first: string): string => `All values are sealed with the only key there is, ${first}. To rotate it:

  1. Put a new key in front of it, for all services alike:
       POSTERN_ENCRYPTION_KEYS=${newKey()},${first}:…
  2. Restart email-send, webhook-dispatch and platform-management, one after the other.
     While some replicas know the new key and others do not, those others cannot open what was sealed with it:
     append the new key at the end first, restart, and then bring it to the front, if no second may fail.
  3. postern keys rotate     seals again what lies under the old key
  4. A day later, take the old key away and restart once more.

Secrets of links (POSTERN_LINK_SECRETS) are rotated the same way, in api-gateway, email-send and delivery-tracking. Nothing
is stored under them; an old one has to stay until mail that carries its links and return paths no longer matters.`;

const rowsOf = ({ service, reply }: Sealed) =>
  reply.counts.length === 0
    ? [[service, 'nothing sealed yet', reply.sealing_key ?? '', 0, 'current']]
    : reply.counts.map(({ kind, key_id, values }) => [
        service,
        kind,
        key_id,
        values,
        key_id === reply.sealing_key ? 'current' : reply.known_keys.includes(key_id) ? 'older' : 'LOST KEY',
      ]);

const olderIn = ({ reply }: Sealed): number =>
  reply.counts.filter(({ key_id }) => key_id !== reply.sealing_key).reduce((sum, { values }) => sum + values, 0);
