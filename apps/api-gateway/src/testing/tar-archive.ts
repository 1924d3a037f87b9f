import { gzipSync } from 'node:zlib';

export interface TarEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** `0` for a file, `1` a hard link, `2` a symbolic link, `3` a device, `5` a folder, `x` an extended header. */
  readonly type?: string;
  readonly target?: string;
  /** The size in the header, if it is not that of the content. */
  readonly size?: number;
}

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;

/** A tar archive of these entries, also of those that no tar would write. */
export const tarOf = (entries: readonly TarEntry[], end = Buffer.alloc(1_024)): Buffer =>
  Buffer.concat([...entries.flatMap(entryOf), end]);

export const archiveOf = (entries: readonly TarEntry[]): Buffer => gzipSync(tarOf(entries));

/** An extended header for the next entry. */
export const extended = (records: Readonly<Record<string, string>>): TarEntry => ({
  name: 'extended',
  type: 'x',
  content: Object.entries(records)
    .map(([key, value]) => {
      const body = ` ${key}=${value}\n`;
      const bytes = Buffer.byteLength(body);
      const length = bytes + String(bytes + 2).length;
      return `${length}${body}`;
    })
    .join(''),
});

const entryOf = ({ name, content = '', type = '0', target = '', size }: TarEntry): readonly Buffer[] => {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write(octal(0o644, 8), 100);
  header.write(octal(size ?? bytes.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.fill(' ', 148, 156);
  header.write(type, 156);
  header.write(target, 157, 100);
  header.write('ustar\x0000', 257, 8, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148);
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
};
