import type { LogLine } from '../api-types.js';

/** Lines of several instances can arrive a little out of order, so a stream begins again a little earlier. */
const OVERLAP_MS = 5_000;

interface ReceivedLine {
  readonly id: string;
  readonly line: LogLine;
  readonly ms: number;
}

/** The newest lines of a log that is followed: where a new stream continues, and which of its lines arrived before. */
export class LogWindow {
  readonly #recent: ReceivedLine[] = [];
  #newestMs = 0;
  /** How often each line arrives again after the stream began anew. */
  #again = new Map<string, number>();

  /** Keeps a line. @returns whether it arrived for the first time. */
  add(id: string, line: LogLine): boolean {
    const key = keyOf(line);
    const again = this.#again.get(key) ?? 0;
    if (again > 0) {
      this.#again.set(key, again - 1);
      return false;
    }
    const ms = Date.parse(line.timestamp);
    this.#newestMs = Math.max(this.#newestMs, ms);
    this.#recent.push({ id, line, ms });
    // One line before the overlap is kept, because a stream continues after a line.
    while ((this.#recent[1]?.ms ?? Number.POSITIVE_INFINITY) < this.#newestMs - OVERLAP_MS) this.#recent.shift();
    return true;
  }

  /** The id of the line after which a new stream continues; undefined before the first line. */
  resume(): string | undefined {
    const [first, ...rest] = this.#recent;
    this.#again = new Map();
    for (const { line } of rest) this.#again.set(keyOf(line), (this.#again.get(keyOf(line)) ?? 0) + 1);
    return first?.id;
  }
}

const keyOf = ({ timestamp, instance, stream, message }: LogLine): string =>
  JSON.stringify([timestamp, instance, stream, message]);
