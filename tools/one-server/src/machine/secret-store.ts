import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NATS_USERS } from '@postern/contracts';
import type { Configuration, Relay } from '../configuration/schema.js';
import { PLACES } from '../rendering/places.js';
import { BUCKET_SECRETS, GENERATED_SECRETS, needsRelayPassword, type SecretName } from '../rendering/secrets.js';
import { readIfExists, writeDurably } from './files.js';

/** The files in /etc/postern/secrets, which only root can read. */
export class SecretStore {
  constructor(private readonly folder: string = PLACES.secrets) {}

  has(name: SecretName): boolean {
    return existsSync(join(this.folder, name));
  }

  read(name: SecretName): string | undefined {
    return readIfExists(join(this.folder, name))?.replace(/\n$/, '');
  }

  write(name: SecretName | 'nats.env', text: string): void {
    mkdirSync(dirname(this.folder), { recursive: true, mode: 0o755 });
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    writeDurably(join(this.folder, name), `${text}\n`, 0o400);
  }

  /** Creates the secrets that are missing. @returns their names. */
  generate(names: readonly SecretName[] = GENERATED_SECRETS): readonly SecretName[] {
    const missing = names.filter(name => !this.has(name));
    for (const name of missing) this.write(name, generated(name));
    return missing;
  }

  /** Problems of the secrets that only the administrator can know. */
  problems(configuration: Configuration): readonly string[] {
    const missing = configuration.backup.s3 ? BUCKET_SECRETS.filter(name => !this.has(name)) : [];
    return [
      ...(needsRelayPassword(configuration) && !this.has('relay-password')
        ? ['mail.send: the password of the relay is missing; run "postern secret set relay-password"']
        : []),
      ...missing.map(name => `backup.to: a credential of the bucket is missing; run "postern secret set ${name}"`),
    ];
  }

  /** Writes the secrets that follow from others. @returns the names of those that changed. */
  derive(configuration: Configuration): readonly ('relay-url' | 'nats.env')[] {
    const texts = {
      'nats.env': [...NATS_USERS, 'administrator' as const].map(user => this.#variableOf(user)).join('\n'),
      ...(configuration.mail.send === 'direct' ? {} : { 'relay-url': this.#relayUrl(configuration.mail.send) }),
    };
    const changed = Object.entries(texts).filter(([name, text]) => this.read(name as SecretName) !== text);
    for (const [name, text] of changed) this.write(name as 'nats.env', text);
    return changed.map(([name]) => name as 'nats.env');
  }

  #variableOf(user: string): string {
    const password = this.read(`nats-${user}` as SecretName) ?? '';
    if (user === 'administrator') return `NATS_USER=administrator\nNATS_PASSWORD=${password}`;
    return `POSTERN_NATS_PASSWORD_${user.replaceAll('-', '_').toUpperCase()}=${password}`;
  }

  #relayUrl({ protocol, user, host, port }: Relay): string {
    const password = encodeURIComponent(this.read('relay-password') ?? '');
    return `${protocol}://${user === '' ? '' : `${user}:${password}@`}${host}:${port}`;
  }
}

/** NATS parses 9e5 as a number, so each of its passwords begins with a letter. */
const generated = (name: SecretName): string => {
  if (name === 'encryption-keys') return `first:${randomBytes(32).toString('base64')}`;
  if (name === 'operator-password') return randomBytes(15).toString('base64url');
  if (name === 'sandbox-dkim-key') return Buffer.from(newDkimKey()).toString('base64');
  return name.startsWith('nats-') ? `p${randomBytes(24).toString('hex')}` : randomBytes(32).toString('hex');
};

const newDkimKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
