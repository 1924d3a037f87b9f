import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a start has to remember for the next one. Readable by the owner only. */
export interface LocalSecrets {
  readonly operatorPassword: string;
  readonly linkSecret: string;
  readonly encryptionKey: string;
}

/** The folder in which the local start keeps everything ($POSTERN_HOME). */
export class Home {
  constructor(readonly folder: string) {
    mkdirSync(join(folder, 'logs'), { recursive: true });
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  logFile(name: string): string {
    return this.path('logs', `${name}.log`);
  }

  /** The secrets of this installation, made at the first start. */
  secrets(): LocalSecrets {
    const known = this.read<LocalSecrets>('secrets.json');
    if (known) return known;
    const made: LocalSecrets = {
      operatorPassword: randomBytes(12).toString('base64url'),
      linkSecret: randomBytes(32).toString('base64url'),
      encryptionKey: `local:${randomBytes(32).toString('base64')}`,
    };
    this.write('secrets.json', made);
    return made;
  }

  read<Content>(file: string): Content | undefined {
    try {
      return JSON.parse(readFileSync(this.path(file), 'utf8')) as Content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new Error(`${this.path(file)} cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Whoever reads the file sees the old content or the new one, never half of it. */
  write(file: string, content: unknown): void {
    const temporary = this.path(`${file}.${process.pid}.new`);
    writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, this.path(file));
  }

  remove(file: string): void {
    rmSync(this.path(file), { force: true });
  }
}
