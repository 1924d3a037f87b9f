import { execFile } from 'node:child_process';
import { constants, open as openDescriptor } from 'node:fs';
import { chown, type FileHandle, open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const NAMES = ['stdout', 'stderr', 'exit'] as const;

export type PipeName = (typeof NAMES)[number];

/**
 * Creates named pipes. The instance holds both ends open: without a reader its output stays in the pipe for the next
 * reader, so that Postern can be killed and restarted while instances run.
 */
export const makePipes = async (folder: string, owner: { uid: number; gid: number } | undefined): Promise<void> => {
  const paths = NAMES.map(name => join(folder, name));
  await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
  if (owner) await Promise.all(paths.map(path => chown(path, owner.uid, owner.gid)));
};

/** Opens both ends of each pipe for the process to be started. The caller closes them after the start. */
export const openForInstance = async (folder: string): Promise<Readonly<Record<PipeName, FileHandle>>> => {
  const [stdout, stderr, exit] = await Promise.all(NAMES.map(name => open(join(folder, name), constants.O_RDWR)));
  return { stdout: stdout!, stderr: stderr!, exit: exit! };
};

/** Exceeds the rate limit of the log. An instance that writes faster is blocked by the full pipe. */
const BYTES_PER_TURN = 1024 * 1024;
const TURN_MS = 100;

/** Reads one pipe at a limited rate until no process has it open for writing. */
export class PipeReader {
  /** Resolves when all data has been passed on, or the reader was closed. */
  readonly ended: Promise<void>;
  #inTurn = 0;
  #turn: NodeJS.Timeout | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly onChunk: (chunk: Buffer) => void,
  ) {
    this.ended = new Promise(resolve => socket.once('close', () => resolve()));
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      onChunk(chunk);
      this.#restAfter(chunk.length);
    });
  }

  /**
   * To be called while the instance, or the process that starts it, has the pipe open: without a writer it ends at
   * once.
   */
  static async open(folder: string, name: PipeName, onChunk: (chunk: Buffer) => void): Promise<PipeReader> {
    const fd = await promisify(openDescriptor)(join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK);
    return new PipeReader(new Socket({ fd, readable: true, writable: false }), onChunk);
  }

  /** Stops reading. Data left in the pipe stays there for the next reader. */
  close(): void {
    clearTimeout(this.#turn);
    this.#turn = undefined;
    for (let rest = this.socket.read(); rest !== null; rest = this.socket.read()) this.onChunk(rest);
    this.socket.destroy();
  }

  #restAfter(bytes: number): void {
    this.#inTurn += bytes;
    this.#turn ??= setTimeout(() => {
      this.#turn = undefined;
      this.#inTurn = 0;
      this.socket.resume();
    }, TURN_MS);
    if (this.#inTurn > BYTES_PER_TURN) this.socket.pause();
  }
}
