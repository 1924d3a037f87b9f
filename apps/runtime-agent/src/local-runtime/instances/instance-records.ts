import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type InstanceRecord, instanceRecord } from './instance-record.js';

/**
 * A folder for each instance below `<platform home>/instances`, with its record, its pipes and its own writable place.
 * A record is there before its process is, and goes when nothing of the instance runs any more.
 */
export class InstanceRecords {
  readonly folder: string;

  constructor(platformHome: string) {
    this.folder = join(platformHome, 'instances');
  }

  folderOf(id: string): string {
    return join(this.folder, id);
  }

  /** Also replaces; a kill in the middle leaves the older record whole. */
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

  /** All that have a folder, whether their record was ever finished or not. */
  async ids(): Promise<readonly string[]> {
    return readdir(this.folder).catch(error => undefinedIfAbsent(error) ?? []);
  }

  /** Of all instances; without a whole record no process was ever started. */
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

/** An instance whose record cannot be read still runs: only an absent one counts as none. */
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
