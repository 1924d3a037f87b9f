import { closeSync, openSync, readSync } from 'node:fs';

let buffer = Buffer.allocUnsafe(16_384);

/**
 * Reads a file of procfs or cgroupfs whose text the kernel has at once. Synchronous and into one buffer: `readFile` needs
 * eight times the CPU, and allocates 64 KiB for each file of unknown size, which causes garbage collections.
 * @throws the error of the file system, such as ENOENT or EMFILE.
 */
export const readKernelFile = (path: string): string => {
  const file = openSync(path, 'r');
  try {
    for (let length = 0; ; ) {
      const read = readSync(file, buffer, length, buffer.length - length, null);
      if (read === 0) return buffer.toString('latin1', 0, length);
      length += read;
      if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * length);
    }
  } finally {
    closeSync(file);
  }
};
