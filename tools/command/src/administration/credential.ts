import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.js';

/** Sources of the operator's credential other than the environment. */
export interface CredentialOptions {
  /** The folder of a local start. */
  readonly home?: string | undefined;
  /** Whether standard input is the password of the user `operator`. */
  readonly passwordFromStdin?: boolean | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OPERATOR = 'operator';

/**
 * Adds the NATS settings that the options select to the environment.
 * @throws UsageError if the folder or standard input has none.
 */
export const withCredential = (environment: Environment, options: CredentialOptions): Environment => {
  const { home, passwordFromStdin } = options;
  if (home !== undefined && passwordFromStdin) throw new UsageError('Use --home or --nats-password-stdin, not both');
  if (home !== undefined) return { ...environment, ...credentialOf(home) };
  if (passwordFromStdin) return { ...environment, ...asOperator(readFileSync(0, 'utf8').trim()) };
  return environment;
};

const asOperator = (password: string): Environment => {
  if (password === '') throw new UsageError('standard input has no password');
  return { POSTERN_NATS_USER: OPERATOR, POSTERN_NATS_PASSWORD: password, POSTERN_NATS_TOKEN: undefined };
};

const credentialOf = (home: string): Environment => {
  const { nats_url, nats_ca_file } = read<{ nats_url?: string; nats_ca_file?: string }>(home, 'ready.json');
  const { natsPasswords } = read<{ natsPasswords?: Record<string, string> }>(home, 'secrets.json');
  if (!nats_url) throw new UsageError(`${join(home, 'ready.json')} does not contain a NATS URL`);
  return {
    POSTERN_NATS_SERVERS: nats_url,
    POSTERN_NATS_CA_FILE: nats_ca_file,
    ...asOperator(natsPasswords?.[OPERATOR] ?? ''),
  };
};

const read = <Content>(home: string, file: string): Content => {
  try {
    return JSON.parse(readFileSync(join(home, file), 'utf8')) as Content;
  } catch (error) {
    throw new UsageError(`${join(home, file)} cannot be read: ${(error as Error).message}. Is Postern running there?`);
  }
};
