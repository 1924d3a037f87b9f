import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type InstanceRecord, instanceRecord } from './instance-record.js';

/**
 * A folder for each instance below `<platform home>/instances`, with its record, pipes and writable folders. The record
 * is written before the process starts, and removed once no process of the instance is left.
 */
export class InstanceRecords {
  readonly folder: string;

  constructor(platformHome: string) {
    this.folder = join(platformHome, 'instances');
  }

  folderOf(id: string): string {
    return join(this.folder, id);
  }

  /** Creates the record, or replaces it atomically. */
  async write(record: InstanceRecord): Promise<void> {
    const folder = this.folderOf(record.id);
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const draft = join(folder, 'record.draft');
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(record));
    } finally {
      await file.close();
    }
    await rename(draft, join(folder, 'record.json'));
  }

  /** The ids of all instance folders, including those without a complete record. */
  async ids(): Promise<readonly string[]> {
    return readdir(this.folder).catch(error => undefinedIfAbsent(error) ?? []);
  }

  /** The records of all instances. Without a complete record, no process was started. */
  async list(): Promise<readonly InstanceRecord[]> {
    const found = await Promise.all((await this.ids()).map(id => this.read(id)));
    return found.filter(record => record !== undefined);
  }

  async read(id: string): Promise<InstanceRecord | undefined> {
    const text = await readFile(join(this.folderOf(id), 'record.json'), 'utf8').catch(undefinedIfAbsent);
    if (text === undefined) return undefined;
    const { data } = instanceRecord.safeParse(parsed(text));
    return data?.id === id ? data : undefined;
  }

  async remove(id: string): Promise<void> {
    await rm(this.folderOf(id), { recursive: true, force: true });
  }
}

/** Only a missing record counts as absent: an instance whose record cannot be read still runs. */
const undefinedIfAbsent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
