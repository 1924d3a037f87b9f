import { existsSync } from 'node:fs';
import { readIfExists, writeDurably } from '../machine/files.js';
import { run } from '../machine/run.js';

/** The public half of the recovery key; backups encrypt the secrets to it. */
export const RECIPIENT = '/etc/postern/recovery-recipient';

export const hasRecoveryKey = (): boolean => existsSync(RECIPIENT);

/** Creates the recovery key and keeps only its public half. @param show gets the key, which is not stored. */
export const createRecoveryKey = async (show: (key: string) => void): Promise<void> => {
  const printed = await run('age-keygen', []);
  const key = /^AGE-SECRET-KEY-1[A-Z0-9]+$/m.exec(printed)?.[0];
  const recipient = /age1[a-z0-9]+/.exec(printed)?.[0];
  if (!key || !recipient) throw new Error('age-keygen printed no key. Check the package "age".');
  // Shown first: a kill in between creates another key, but no backup with a key that nobody has seen.
  show(key);
  writeDurably(RECIPIENT, `${recipient}\n`);
};

export const recoveryRecipient = (): string => {
  const recipient = readIfExists(RECIPIENT)?.trim();
  if (!recipient) throw new Error('There is no recovery key. Create one: postern recovery-key create');
  return recipient;
};
