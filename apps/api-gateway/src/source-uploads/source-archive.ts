import { badRequest } from '../infrastructure/http/errors/problem.js';
import { ArchiveNames, refused } from './archive-names.js';
import { BLOCK, damaged, extendedRecords, headerOf, type TarHeader } from './tar-headers.js';

/** What an archive may unpack to. */
export const ARCHIVE_LIMITS = { bytes: 2 ** 30, entries: 100_000 };

const MAX_EXTENDED_BYTES = 64 * 1024;
const REFUSED_TYPES: Readonly<Record<string, string>> = {
  '1': 'is a hard link; pack it with tar --hard-dereference',
  '3': 'is a device',
  '4': 'is a device',
  '6': 'is a named pipe',
  S: 'is a sparse file; pack it without --sparse',
};

/** Checks an unpacked tar archive as it arrives. Nothing is stored but the names. */
export class SourceArchive {
  readonly #names = new ArchiveNames();
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #bytes = 0;
  #entries = 0;
  #skip = 0;
  #ended = false;
  /** The header whose content is collected: it describes the next entry. */
  #extension: TarHeader | undefined;
  #next: { name?: string; target?: string; size?: number } = {};

  constructor(private readonly limits = ARCHIVE_LIMITS) {}

  /** @throws 400 that says what is wrong with the archive. */
  write(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.limits.bytes)
      throw badRequest(
        `The archive unpacks to more than ${this.limits.bytes / 2 ** 20} MiB. Leave out what the build makes or downloads.`,
        'invalid_archive',
      );
    let rest = chunk;
    while (rest.length > 0 && !this.#ended) rest = this.#take(rest);
  }

  /** @throws 400 if the archive is not complete, or contains no file. */
  end(): void {
    if (!this.#ended && (this.#pendingBytes > 0 || this.#skip > 0 || this.#extension || this.#entries === 0))
      throw damaged(this.#bytes === 0 ? 'it is empty' : 'it ends early');
    if (!this.#names.hasFiles) throw badRequest('The archive contains no files.', 'invalid_archive');
  }

  #take(chunk: Buffer): Buffer {
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, chunk.length);
      this.#skip -= skipped;
      return chunk.subarray(skipped);
    }
    const wanted = this.#extension ? padded(this.#extension.size) : BLOCK;
    const taken = chunk.subarray(0, wanted - this.#pendingBytes);
    this.#pending.push(taken);
    this.#pendingBytes += taken.length;
    if (this.#pendingBytes === wanted) {
      const whole = Buffer.concat(this.#pending);
      this.#pending = [];
      this.#pendingBytes = 0;
      if (this.#extension) this.#extend(this.#extension, whole.subarray(0, this.#extension.size));
      else this.#begin(whole);
    }
    return chunk.subarray(taken.length);
  }

  #begin(block: Buffer): void {
    const header = headerOf(block);
    if (!header) {
      this.#ended = true;
      return;
    }
    this.#entries += 1;
    if (this.#entries > this.limits.entries)
      throw badRequest(`The archive has more than ${this.limits.entries} entries.`, 'invalid_archive');
    if ('xgLK'.includes(header.type)) {
      if (header.size > MAX_EXTENDED_BYTES) throw damaged('an extended header is too large');
      this.#extension = header;
      if (header.size === 0) this.#extend(header, Buffer.alloc(0));
      return;
    }
    const { name = header.name, target = header.target, size = header.size } = this.#next;
    this.#next = {};
    this.#check({ ...header, name, target });
    // Only files have content; a link or folder with a size would hide other entries.
    const hasContent = header.type === '0' || header.type === '7';
    if (!hasContent && size > 0) throw refused(name, 'has content, but is no file');
    this.#skip = padded(size);
  }

  #check({ type, name, target }: TarHeader): void {
    switch (type) {
      case '0':
      case '7':
        // Before ustar, a folder was a file whose name ends with a slash.
        this.#names.add(name, name.endsWith('/') ? 'folder' : 'file');
        break;
      case '5':
        this.#names.add(name, 'folder');
        break;
      case '2':
        this.#names.addLink(name, target);
        break;
      default:
        throw refused(name, REFUSED_TYPES[type] ?? `has the unknown type ${JSON.stringify(type)}`);
    }
  }

  #extend({ type }: TarHeader, content: Buffer): void {
    this.#extension = undefined;
    if (type === 'L' || type === 'K') {
      const text = content.toString('utf8').replace(/\0.*$/s, '');
      this.#next = { ...this.#next, ...(type === 'L' ? { name: text } : { target: text }) };
      return;
    }
    const records = extendedRecords(content);
    const sparse = [...records.keys()].find(key => key.startsWith('GNU.sparse.'));
    if (sparse !== undefined) throw damaged('it contains a sparse file; pack it without --sparse');
    const [path, linkpath, size] = ['path', 'linkpath', 'size'].map(key => records.get(key));
    if (type === 'g') {
      // A comment, as git archive writes it. Names for all entries would be equal.
      if (path !== undefined || linkpath !== undefined || size !== undefined)
        throw damaged('a global header sets names or sizes');
      return;
    }
    if (size !== undefined && !/^\d{1,12}$/.test(size)) throw damaged('a size in it is not valid');
    this.#next = {
      ...this.#next,
      ...(path !== undefined && { name: path }),
      ...(linkpath !== undefined && { target: linkpath }),
      ...(size !== undefined && { size: Number(size) }),
    };
  }
}

const padded = (size: number): number => Math.ceil(size / BLOCK) * BLOCK;
