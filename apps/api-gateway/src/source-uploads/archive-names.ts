import { badRequest, type Problem } from '../infrastructure/http/errors/problem.js';

export type EntryKind = 'file' | 'folder' | 'link';

const MAX_NAME_BYTES = 4_096;
const MAX_PART_BYTES = 255;
/** Of all names together, so that an archive cannot fill the memory. */
const MAX_ALL_BYTES = 16 * 1024 * 1024;

/** The names in an archive: each once, inside the archive, and only folders hold others. */
export class ArchiveNames {
  readonly #kinds = new Map<string, EntryKind>();
  #bytes = 0;

  /** @throws 400 for a name that cannot be unpacked safely. */
  add(given: string, kind: EntryKind): void {
    const name = cleanName(given);
    // The folder of the archive itself.
    if (name === '' && kind === 'folder') return;
    if (name === '') throw refused(given, 'has no name');
    const known = this.#kinds.get(name);
    if (known === 'folder' && kind === 'folder') return;
    if (known !== undefined) throw refused(given, 'is in the archive more than once');
    const parts = name.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const parent = parts.slice(0, depth).join('/');
      const above = this.#kinds.get(parent);
      if (above !== undefined && above !== 'folder')
        throw refused(given, `is below ${quoted(parent)}, which is a ${above}`);
      if (above === undefined) this.#remember(parent, 'folder');
    }
    this.#remember(name, kind);
  }

  /** @throws 400 for a link that leads out of the archive. */
  addLink(given: string, target: string): void {
    this.add(given, 'link');
    if (target === '' || target.includes('\0')) throw refused(given, 'is a link to nothing');
    if (target.startsWith('/')) throw refused(given, `is a link to the absolute path ${quoted(target)}`);
    let depth = cleanName(given).split('/').length - 1;
    for (const part of target.split('/')) {
      if (part === '..') depth -= 1;
      else if (part !== '' && part !== '.') depth += 1;
      if (depth < 0) throw refused(given, `is a link to ${quoted(target)}, which is outside the archive`);
    }
  }

  get hasFiles(): boolean {
    return [...this.#kinds.values()].includes('file');
  }

  #remember(name: string, kind: EntryKind): void {
    this.#bytes += Buffer.byteLength(name);
    if (this.#bytes > MAX_ALL_BYTES) throw badRequest('The names in the archive are larger than 16 MiB together.');
    this.#kinds.set(name, kind);
  }
}

/** Without `./` and the slash after a folder. @throws 400 */
const cleanName = (given: string): string => {
  if (Buffer.byteLength(given) > MAX_NAME_BYTES) throw refused(given, `is longer than ${MAX_NAME_BYTES} bytes`);
  if (given.includes('\ufffd')) throw refused(given, 'is not UTF-8');
  if (/\p{Cc}/u.test(given)) throw refused(given, 'contains control characters');
  if (given.startsWith('/')) throw refused(given, 'is an absolute path');
  const parts = given.split('/').filter(part => part !== '' && part !== '.');
  if (parts.includes('..')) throw refused(given, 'contains .., which leads out of the archive');
  if (parts.some(part => Buffer.byteLength(part) > MAX_PART_BYTES))
    throw refused(given, `has a part that is longer than ${MAX_PART_BYTES} bytes`);
  return parts.join('/');
};

const quoted = (name: string): string => JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);

export const refused = (name: string, reason: string): Problem =>
  badRequest(`The archive cannot be deployed: the entry ${quoted(name)} ${reason}.`, 'invalid_archive');
