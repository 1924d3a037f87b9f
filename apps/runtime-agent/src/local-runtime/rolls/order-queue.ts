/** Runs the orders for one web service one after another. Orders that wait when `closed` is aborted do not run. */
export class OrderQueue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  constructor(private readonly closed: AbortSignal) {}

  /** Whether an order runs or waits. */
  get busy(): boolean {
    return this.#length > 0;
  }

  run<T>(order: () => Promise<T>): Promise<T> {
    this.#length += 1;
    const turn = this.#last.then(() => {
      this.closed.throwIfAborted();
      return order();
    });
    const leave = () => {
      this.#length -= 1;
    };
    this.#last = turn.then(leave, leave);
    return turn;
  }
}
