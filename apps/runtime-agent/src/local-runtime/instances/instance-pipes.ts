import { execFile } from 'node:child_process';
import { constants, open as openDescriptor } from 'node:fs';
import { chown, type FileHandle, open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const NAMES = ['stdout', 'stderr', 'exit'] as const;

export type PipeName = (typeof NAMES)[number];

/**
 * Named pipes, of which the instance holds both ends: while nobody reads, its output waits, and the next reader
 * gets it. So the platform can be killed and started again while instances run.
 */
export const makePipes = async (folder: string, owner: { uid: number; gid: number } | undefined): Promise<void> => {
  const paths = NAMES.map(name => join(folder, name));
  await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
  if (owner) await Promise.all(paths.map(path => chown(path, owner.uid, owner.gid)));
};

/** Both ends of each, to be handed to the process that is started, and closed here afterwards. */
export const openForInstance = (folder: string): Promise<readonly FileHandle[]> =>
  Promise.all(NAMES.map(name => open(join(folder, name), constants.O_RDWR)));

/** More than the log keeps of one service anyway; a flood beyond it makes the instance wait. */
const BYTES_PER_TURN = 1024 * 1024;
const TURN_MS = 100;

/** Reads one pipe until nobody holds it open for writing any more, in bounded bites. */
export class PipeReader {
  /** Resolves when all that was ever written has been passed on, or reading was given up. */
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

  /** To be opened while the instance, or its starter, holds the pipe open: without a writer it ends at once. */
  static async open(folder: string, name: PipeName, onChunk: (chunk: Buffer) => void): Promise<PipeReader> {
    const fd = await promisify(openDescriptor)(join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK);
    return new PipeReader(new Socket({ fd, readable: true, writable: false }), onChunk);
  }

  /** Stops reading; what is in the pipe stays there for the next reader. */
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
