import { spawn } from 'node:child_process';

/** The space of a file system. */
export interface DiskSpace {
  readonly freeBytes: number;
  /** Between 0 and 1; 1 for a file system without blocks. */
  readonly freeShare: number;
  /** Between 0 and 1; 1 for a file system that has no limit of files. */
  readonly freeFiles: number;
  readonly blocks: number;
  /** Equal for every mount of one file system; undefined for a kind that has none. */
  readonly id: string | undefined;
}

const FORMAT = '%a %b %S %d %c %i';

/**
 * Another process looks: a call to a file system that hangs keeps its thread, and a process with such a thread cannot
 * end. @throws if there is no answer in time.
 */
export const diskSpaceOf = (path: string, limitMs: number): Promise<DiskSpace> => {
  const child = spawn('stat', ['--file-system', '--format', FORMAT, '--', path], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LC_ALL: 'C' },
  });
  const { promise, resolve, reject } = Promise.withResolvers<DiskSpace>();
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    // It may not end before the file system answers; this process does not wait for it.
    child.unref();
    child.stdout.destroy();
    child.stderr.destroy();
    reject(new Error(`the file system did not answer within ${limitMs / 1_000} s`));
  }, limitMs);
  let [found, failure] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    found += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    failure += text;
  });
  child.once('error', reject).once('close', code => {
    if (code === 0) resolve(spaceIn(found));
    else reject(new Error(failure.trim().replace(/^stat: /, '') || `stat ended with ${code}`));
  });
  return promise.finally(() => clearTimeout(timer));
};

const spaceIn = (line: string): DiskSpace => {
  const [free, blocks, size, filesFree, files, id] = line.trim().split(' ');
  const share = (part: string | undefined, of: string | undefined) => (Number(of) > 0 ? Number(part) / Number(of) : 1);
  return {
    freeBytes: Number(free) * Number(size),
    freeShare: share(free, blocks),
    freeFiles: share(filesFree, files),
    blocks: Number(blocks),
    id: id && /[^0]/.test(id) ? id : undefined,
  };
};
