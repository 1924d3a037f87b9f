import { statfs } from 'node:fs/promises';

/** The kernel limits the number of files as well: one for each of this many bytes. */
const BYTES_PER_FILE = 8_192;
const FEWEST_FILES = 1_024;
/** An area with fewer free bytes counts as full: the kernel refuses large writes as a whole. */
const tooFewBytes = (bytes: number): number => Math.max(2 * 2 ** 20, bytes / 100);
/** The level of the warning, which gives owners time to act before writes fail. */
const NEARLY_FULL = 0.9;

/** How many files and folders an area of this size can have. */
export const filesFor = (bytes: number): number => Math.max(FEWEST_FILES, Math.ceil(bytes / BYTES_PER_FILE));

export interface AreaLevel {
  readonly usedBytes: number;
  readonly freeBytes: number;
  readonly isFull: boolean;
  readonly isNearlyFull: boolean;
  readonly percent: number;
  /** What is scarce: bytes, or the number of files. */
  readonly of: 'bytes' | 'files';
}

/** The level of an area that is a file system. @throws if the path does not exist. */
export const levelAt = async (path: string): Promise<AreaLevel> => {
  const { blocks, bavail, bfree, bsize, files, ffree } = await statfs(path);
  const [bytesUsed, filesUsed] = [1 - bavail / blocks, 1 - ffree / files];
  const used = Math.max(bytesUsed, filesUsed);
  return {
    usedBytes: (blocks - bfree) * bsize,
    freeBytes: bavail * bsize,
    isFull: bavail * bsize < tooFewBytes(blocks * bsize) || ffree === 0,
    isNearlyFull: used >= NEARLY_FULL,
    percent: Math.floor(used * 100),
    of: filesUsed > bytesUsed ? 'files' : 'bytes',
  };
};

/** The level of an area of which only the usage is known. */
export const levelOf = (used: { readonly bytes: number; readonly files: number }, bytes: number): AreaLevel => {
  const [bytesUsed, filesUsed] = [used.bytes / bytes, used.files / filesFor(bytes)];
  const share = Math.max(bytesUsed, filesUsed);
  return {
    usedBytes: used.bytes,
    freeBytes: Math.max(0, bytes - used.bytes),
    isFull: share > 1,
    isNearlyFull: share >= NEARLY_FULL,
    percent: Math.floor(share * 100),
    of: filesUsed > bytesUsed ? 'files' : 'bytes',
  };
};
