import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { NATS_USERS, type NatsUser } from '@postern/contracts';
import { openDataOf } from './open-data.js';

/** Secrets that persist between starts. Readable by the owner only. */
export interface LocalSecrets {
  readonly operatorPassword: string;
  readonly linkSecret: string;
  readonly encryptionKey: string;
  /** Key of the sandbox domain, in the format of POSTERN_SANDBOX_DKIM_KEY. */
  readonly sandboxDkimKey: string;
  /** Bearer token for the metrics of the services. */
  readonly metricsToken: string;
  /** Password of each NATS user. */
  readonly natsPasswords: Readonly<Record<NatsUser, string>>;
}

/** Version of the file format of a home; incremented by a release that changes it. */
const FORMAT = 4;
/** The first format that a release wrote (0.2.0); a home from before it cannot be upgraded. */
const FIRST_FORMAT = 4;

/** The folder of all state of the local start ($POSTERN_HOME). */
export class Home {
  /** The folder of data that other users access if Postern runs as root; the home itself if they can enter it. */
  private readonly openData: string;

  /** @throws with a remedy if the home is from before 0.2.0 or of a newer release, or some of its data is missing. */
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.demandFormat();
    this.openData = openDataOf(folder);
    // The folder itself stays accessible: web services and builds run below it, as other users if Postern runs as root.
    for (const own of ['logs', 'nats']) {
      mkdirSync(join(folder, own), { recursive: true });
      chmodSync(join(folder, own), 0o700);
    }
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** Path in the part of the home that other users access: `postgres`, `postgres-socket`, `platform`, `sample-repository`. */
  openPath(...parts: string[]): string {
    return join(this.openData, ...parts);
  }

  logFile(name: string): string {
    return this.path('logs', `${name}.log`);
  }

  /**
   * The secrets of this installation, created at the first start; missing ones are added. A home with data but without
   * the secrets file is refused, because new secrets could not decrypt its data.
   */
  secrets(): LocalSecrets {
    const known = this.read<Partial<LocalSecrets>>('secrets.json') ?? {};
    if (!existsSync(this.path('secrets.json')) && existsSync(this.openPath('postgres'))) {
      throw new Error(
        `${this.path('secrets.json')} is missing, and without it the data in ${this.openPath('postgres')} cannot be opened.\n` +
          `Restore it from a backup, or delete ${this.folder} to start over.`,
      );
    }
    const secrets: LocalSecrets = {
      operatorPassword: known.operatorPassword ?? randomBytes(12).toString('base64url'),
      linkSecret: known.linkSecret ?? randomBytes(32).toString('base64url'),
      encryptionKey: known.encryptionKey ?? `local:${randomBytes(32).toString('base64')}`,
      sandboxDkimKey: known.sandboxDkimKey ?? newDkimKey(),
      metricsToken: known.metricsToken ?? randomBytes(32).toString('base64url'),
      natsPasswords: passwordsOf(NATS_USERS, known.natsPasswords),
    };
    if (!isDeepStrictEqual(secrets, known)) this.write('secrets.json', secrets);
    return secrets;
  }

  /** A home without the file is new, or restored from a backup of the databases and secrets; these are checked as well. */
  private demandFormat(): void {
    const { version = 0 } = this.read<{ version?: number }>('format.json') ?? { version: FORMAT };
    if (version < FIRST_FORMAT)
      throw new Error(
        `${this.folder} was written by a version of Postern from before 0.2.0, which no release can upgrade.\n` +
          'Delete the folder to start over, or choose another one: POSTERN_HOME=<folder> npm start',
      );
    if (version > FORMAT)
      throw new Error(
        `${this.folder} was written by a newer release of Postern (its format is ${version}, this release reads up to ${FORMAT}).\n` +
          'Start that release again, restore a backup from before it, or choose another folder: POSTERN_HOME=<folder> npm start',
      );
    if (version < FORMAT || !existsSync(this.path('format.json'))) this.write('format.json', { version: FORMAT });
  }

  read<Content>(file: string): Content | undefined {
    try {
      return JSON.parse(readFileSync(this.path(file), 'utf8')) as Content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new Error(`${this.path(file)} cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Replaces the file atomically: readers see either the old or the new content. */
  write(file: string, content: unknown): void {
    this.writeText(file, `${JSON.stringify(content, null, 2)}\n`);
  }

  /** Like `write`, for content other than JSON. */
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
