import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { NATS_USERS, type NatsUser, SERVICE_NAMES } from '@postern/contracts';
import { openDataOf } from './open-data.js';

/** What a start has to remember for the next one. Readable by the owner only. */
export interface LocalSecrets {
  readonly operatorPassword: string;
  readonly linkSecret: string;
  readonly encryptionKey: string;
  /** Of the sandbox domain, as POSTERN_SANDBOX_DKIM_KEY wants it. */
  readonly sandboxDkimKey: string;
  /** Of the superuser at PostgreSQL. */
  readonly databasePassword: string;
  /** Of the role of each service at PostgreSQL. */
  readonly databasePasswords: Readonly<Record<(typeof SERVICE_NAMES)[number], string>>;
  /** Of each user at NATS. */
  readonly natsPasswords: Readonly<Record<NatsUser, string>>;
}

/** What the files of a home mean; a release that changes their meaning raises it. */
const FORMAT = 1;

/** The folder in which the local start keeps everything ($POSTERN_HOME). */
export class Home {
  /** The folder of what other users work in where we are root; the home itself unless that is closed to them. */
  private readonly openData: string;

  /** @throws in words where a newer release wrote the home, or data of it are missing. */
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.demandFormat();
    this.openData = openDataOf(folder);
    // The folder itself stays open: web services and builds run below it, as other users where we are root.
    for (const own of ['logs', 'nats']) {
      mkdirSync(join(folder, own), { recursive: true });
      chmodSync(join(folder, own), 0o700);
    }
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** For the parts of the home that other users work in: `postgres`, `platform`, `sample-repository`. */
  openPath(...parts: string[]): string {
    return join(this.openData, ...parts);
  }

  logFile(name: string): string {
    return this.path('logs', `${name}.log`);
  }

  /**
   * The secrets of this installation, made at the first start; a home that lacks some of them gets those. One that has
   * data but no secrets at all is refused, because new ones would open nothing of it.
   */
  secrets(): LocalSecrets {
    const known = this.read<Partial<LocalSecrets>>('secrets.json') ?? {};
    if (!existsSync(this.path('secrets.json')) && existsSync(this.openPath('postgres'))) {
      throw new Error(
        `${this.path('secrets.json')} is missing, and without it the data in ${this.openPath('postgres')} cannot be opened.\n` +
          `Put it back from a backup, or delete ${this.folder} to begin anew.`,
      );
    }
    const secrets: LocalSecrets = {
      operatorPassword: known.operatorPassword ?? randomBytes(12).toString('base64url'),
      linkSecret: known.linkSecret ?? randomBytes(32).toString('base64url'),
      encryptionKey: known.encryptionKey ?? `local:${randomBytes(32).toString('base64')}`,
      sandboxDkimKey: known.sandboxDkimKey ?? newDkimKey(),
      databasePassword: known.databasePassword ?? randomBytes(32).toString('base64url'),
      databasePasswords: passwordsOf(SERVICE_NAMES, known.databasePasswords),
      natsPasswords: passwordsOf(NATS_USERS, known.natsPasswords),
    };
    if (!isDeepStrictEqual(secrets, known)) this.write('secrets.json', secrets);
    return secrets;
  }

  /** A home without the file is of the first format. */
  private demandFormat(): void {
    const { version = 1 } = this.read<{ version?: number }>('format.json') ?? {};
    if (version > FORMAT)
      throw new Error(
        `${this.folder} was written by a newer release of Postern (its format is ${version}, this release reads up to ${FORMAT}).\n` +
          'Start that release again, restore a backup from before it, or choose another folder: POSTERN_HOME=<folder> npm start',
      );
    if (!existsSync(this.path('format.json'))) this.write('format.json', { version: FORMAT });
  }

  read<Content>(file: string): Content | undefined {
    try {
      return JSON.parse(readFileSync(this.path(file), 'utf8')) as Content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new Error(`${this.path(file)} cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Readers see the old content or the new content, never a part of it. */
  write(file: string, content: unknown): void {
    this.writeText(file, `${JSON.stringify(content, null, 2)}\n`);
  }

  /** As `write`, for what is not JSON. */
  writeText(file: string, text: string): void {
    const temporary = this.path(`${file}.${process.pid}.new`);
    rmSync(temporary, { force: true });
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, this.path(file));
  }

  remove(file: string): void {
    rmSync(this.path(file), { force: true });
  }
}

const passwordsOf = <Name extends string>(
  names: readonly Name[],
  known: Partial<Readonly<Record<Name, string>>> = {},
): Readonly<Record<Name, string>> =>
  Object.fromEntries(names.map(name => [name, known[name] ?? randomBytes(32).toString('base64url')])) as Readonly<
    Record<Name, string>
  >;

const newDkimKey = (): string => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return Buffer.from(privateKey).toString('base64');
};
