import { badRequest } from '../infrastructure/http/errors/problem.js';

export const BLOCK = 512;

/** One header of a tar archive: POSIX ustar, GNU and V7. */
export interface TarHeader {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly target: string;
}

export const damaged = (what: string) =>
  badRequest(
    `The body is not a tar archive: ${what}. Make it with: tar -czf source.tar.gz -C <folder> .`,
    'invalid_archive',
  );

const bytesAt = (header: Buffer, from: number, length: number): Buffer => {
  const field = header.subarray(from, from + length);
  const end = field.indexOf(0);
  return end === -1 ? field : field.subarray(0, end);
};

const textAt = (header: Buffer, from: number, length: number): string => bytesAt(header, from, length).toString('utf8');

const numberAt = (header: Buffer, from: number, length: number): number => {
  // GNU writes large numbers in base 256. No size that is allowed needs it.
  if ((header[from]! & 0x80) !== 0) throw damaged('a size in it is too large');
  const text = textAt(header, from, length).trim();
  if (!/^[0-7]{0,12}$/.test(text)) throw damaged('a header is not valid');
  return text === '' ? 0 : Number.parseInt(text, 8);
};

/** The sum of the bytes, with the checksum counted as spaces. */
const sumOf = (header: Buffer): number =>
  header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);

/** @returns undefined for a block of zeros, which ends an archive. @throws 400 */
export const headerOf = (block: Buffer): TarHeader | undefined => {
  if (block.every(byte => byte === 0)) return undefined;
  if (numberAt(block, 148, 8) !== sumOf(block)) throw damaged('a header has a wrong checksum');
  const isUstar = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isUstar ? textAt(block, 345, 155) : '';
  const name = textAt(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: textAt(block, 156, 1) || '0',
    size: numberAt(block, 124, 12),
    target: textAt(block, 157, 100),
  };
};

/** The records of an extended header: `<length> <key>=<value>\n`. @throws 400 */
export const extendedRecords = (content: Buffer): ReadonlyMap<string, string> => {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const length = Number(content.toString('latin1', at, Math.max(at, space)));
    if (space === -1 || !Number.isInteger(length) || length < space - at + 3 || at + length > content.length)
      throw damaged('an extended header is not valid');
    const record = content.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    if (equals < 1) throw damaged('an extended header is not valid');
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
};
