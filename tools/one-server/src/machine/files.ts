import { createHash } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The content of a file; undefined if it does not exist. */
export const readIfExists = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Replaces a file at once and durably: after a power failure it has the old or the new content. */
export const writeDurably = (path: string, text: string | Buffer, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const temporary = `${path}.${process.pid}.new`;
  const file = openSync(temporary, 'w', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(temporary, mode);
  renameSync(temporary, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};

export const readJson = <Content>(path: string): Content | undefined => {
  const text = readIfExists(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Content;
  } catch {
    throw new Error(`${path} is damaged. Delete it, and run the command again.`);
  }
};

export const writeJson = (path: string, content: unknown, mode?: number): void =>
  writeDurably(path, `${JSON.stringify(content, null, 2)}\n`, mode);

export const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
