import type { FileHandle } from 'node:fs/promises';

const BLOCK = 512;

/** The position of a file's content in the archive. */
export interface TarFile {
  readonly position: number;
  readonly size: number;
}

/** The archive is not in the format that BuildKit writes. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused';
}

const textAt = (header: Buffer, from: number, length: number): string => {
  const field = header.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString('latin1');
};

const numberAt = (header: Buffer, from: number, length: number): number => {
  const text = textAt(header, from, length).trim();
  if (!/^[0-7]{1,12}$/.test(text)) throw new ArchiveRefused('a field in a header of the archive is not a number');
  return Number.parseInt(text, 8);
};

/** The checksum of a header: the sum of its bytes, with the checksum field counted as spaces. */
const sumOf = (header: Buffer): number =>
  header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);

/**
 * The regular files of a tar archive by name. Nothing is unpacked. Links, devices, extended headers and duplicate
 * names are refused.
 * @param isExpected whether an archive may have a file of this name.
 * @throws ArchiveRefused.
 */
export const tarFilesOf = async (
  file: FileHandle,
  isExpected: (name: string) => boolean,
  mostEntries: number,
): Promise<ReadonlyMap<string, TarFile>> => {
  const { size: length } = await file.stat();
  const files = new Map<string, TarFile>();
  const header = Buffer.alloc(BLOCK);
  let position = 0;
  for (let entries = 0; ; entries += 1) {
    if (entries > mostEntries) throw new ArchiveRefused(`the archive has more than ${mostEntries} entries`);
    const { bytesRead } = await file.read(header, 0, BLOCK, position);
    if (bytesRead < BLOCK) throw new ArchiveRefused('the archive ends early');
    if (header.every(byte => byte === 0)) return files;
    if (numberAt(header, 148, 8) !== sumOf(header)) throw new ArchiveRefused('a header of the archive is damaged');
    const prefix = textAt(header, 345, 155);
    const name = prefix === '' ? textAt(header, 0, 100) : `${prefix}/${textAt(header, 0, 100)}`;
    const size = numberAt(header, 124, 12);
    const type = textAt(header, 156, 1);
    position += BLOCK;
    if (position + size > length) throw new ArchiveRefused('the archive ends early');
    if (type === '' || type === '0') {
      if (!isExpected(name) || files.has(name))
        throw new ArchiveRefused(`the archive has the unexpected file ${JSON.stringify(name)}`);
      files.set(name, { position, size });
    } else if (type !== '5') throw new ArchiveRefused(`the archive has an entry of the type ${JSON.stringify(type)}`);
    position += Math.ceil(size / BLOCK) * BLOCK;
  }
};
