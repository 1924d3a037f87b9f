import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, createGzip } from 'node:zlib';
import { UsageError } from '../errors.js';
import type { LocalFile } from './local-files.js';

export const MAX_ARCHIVE_BYTES = 100 * 2 ** 20;

const BLOCK = 512;
const CHUNK = 256 * 1024;

/** Packs files into a gzipped tar archive. @throws UsageError if it is larger than Postern accepts. */
export const packed = async (
  folder: string,
  files: readonly LocalFile[],
  maxBytes = MAX_ARCHIVE_BYTES,
): Promise<Uint8Array<ArrayBuffer>> => {
  if (files.length === 0)
    throw new UsageError(`There is nothing to deploy in ${folder}: .gitignore excludes every file.`);
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const chunks: Buffer[] = [];
  let bytes = 0;
  gzip.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
  });
  const ended = once(gzip, 'end');
  const write = async (chunk: Buffer) => {
    if (bytes > maxBytes) throw new UsageError(tooLarge(files, maxBytes));
    if (!gzip.write(chunk)) await once(gzip, 'drain');
  };
  try {
    for (const file of files) for await (const chunk of entryOf(folder, file)) await write(chunk);
    gzip.end(Buffer.alloc(2 * BLOCK));
    await ended;
    if (bytes > maxBytes) throw new UsageError(tooLarge(files, maxBytes));
  } finally {
    gzip.destroy();
  }
  return Uint8Array.from(Buffer.concat(chunks));
};

async function* entryOf(folder: string, file: LocalFile): AsyncGenerator<Buffer> {
  const { target } = file;
  if (target !== undefined) {
    yield* headers(file, 0, '2', target);
    return;
  }
  // A file that changes meanwhile keeps the size of its header.
  const content = file.size <= CHUNK ? await readFile(join(folder, file.path)) : undefined;
  const size = content?.length ?? file.size;
  yield* headers(file, size, '0');
  if (content) yield content;
  else yield* exactly(join(folder, file.path), size);
  yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

async function* exactly(path: string, size: number): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    for (let at = 0; at < size; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(CHUNK, size - at)), 0, undefined, at);
      if (bytesRead === 0) throw new UsageError(`${path} has become shorter while it was read; run the command again.`);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** A ustar header; before it an extended one for a name that does not fit. */
function* headers({ path, mode, modifiedAt }: LocalFile, size: number, type: string, target = ''): Generator<Buffer> {
  const records = [...record('path', path), ...record('linkpath', target)];
  const at = Math.max(0, Math.floor(modifiedAt / 1_000));
  if (records.length > 0) {
    const content = Buffer.concat(records);
    yield header('extended', content.length, 'x', 0o644, at, '');
    yield content;
    yield Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  }
  const permissions = type === '2' ? 0o777 : (mode & 0o111) === 0 ? 0o644 : 0o755;
  yield header(shortened(path), size, type, permissions, at, shortened(target));
}

const record = (key: string, value: string): readonly Buffer[] => {
  if (Buffer.byteLength(value) <= 100 && /^[\x20-\x7e]*$/.test(value)) return [];
  const body = Buffer.from(` ${key}=${value}\n`);
  let length = body.length + 1;
  while (String(length).length + body.length !== length) length = String(length).length + body.length;
  return [Buffer.concat([Buffer.from(String(length)), body])];
};

const shortened = (text: string): string => (Buffer.byteLength(text) <= 100 ? text : 'long');

const header = (
  name: string,
  size: number,
  type: string,
  mode: number,
  modifiedAtS: number,
  target: string,
): Buffer => {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, length, 'latin1');
  block.write(name, 0, 100, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(modifiedAtS, 136, 12);
  block.fill(' ', 148, 156);
  block.write(type, 156, 1, 'latin1');
  block.write(target, 157, 100, 'utf8');
  block.write('ustar\x0000', 257, 8, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1');
  return block;
};

const tooLarge = (files: readonly LocalFile[], maxBytes: number): string => {
  const sizes = new Map<string, number>();
  for (const { path, size } of files) {
    const top = path.includes('/') ? `${path.slice(0, path.indexOf('/'))}/` : path;
    sizes.set(top, (sizes.get(top) ?? 0) + size);
  }
  const largest = [...sizes]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([name, size]) => `${name} (${Math.ceil(size / 2 ** 20)} MiB)`);
  return `The archive is larger than ${maxBytes / 2 ** 20} MiB. Largest: ${largest.join(', ')}. Add what the build does not need to .gitignore.`;
};
