/** One thing at a time, in the order of asking; whoever stops waiting does not hold up those behind. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  /** @throws the signal's reason when it comes while waiting; the work itself has to heed the signal on its own. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = before.then(() => turn.promise);
    try {
      await untilAborted(before, signal);
      return await work();
    } finally {
      turn.resolve();
    }
  }
}

const untilAborted = async (turn: Promise<unknown>, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<void>();
  const abort = () => aborted.resolve();
  signal.addEventListener('abort', abort, { once: true });
  await Promise.race([turn, aborted.promise]);
  signal.removeEventListener('abort', abort);
  signal.throwIfAborted();
};
