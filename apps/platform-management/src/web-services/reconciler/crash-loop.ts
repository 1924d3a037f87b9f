interface Reading {
  readonly atMs: number;
  readonly restarts: number;
}

export interface CrashLoop {
  readonly restarts: number;
  readonly overMs: number;
}

/** Minimum number of restarts within the window that is a crash loop. */
const FEWEST_RESTARTS = 3;
const WINDOW_MS = 90_000;

/** Counts the restarts of one release in a window, from readings of a counter that restarts at 0. */
export class RestartWindow {
  #readings: readonly Reading[] = [];
  #isLooping = false;

  read(restarts: number, atMs: number): void {
    const last = this.#readings.at(-1);
    const recent = last && last.restarts > restarts ? [] : this.#readings.filter(each => atMs - each.atMs <= WINDOW_MS);
    this.#readings = [...recent, { atMs, restarts }];
  }

  /** Returns undefined while there are too few restarts. A crash loop lasts until a whole window has no restarts. */
  get crashLoop(): CrashLoop | undefined {
    const [first, last] = [this.#readings[0], this.#readings.at(-1)];
    const restarts = first && last ? last.restarts - first.restarts : 0;
    this.#isLooping = restarts >= FEWEST_RESTARTS || (this.#isLooping && restarts > 0);
    return this.#isLooping && first && last ? { restarts, overMs: last.atMs - first.atMs } : undefined;
  }
}
