/** Something that a test opens. */
export class Latch {
  readonly #opened = Promise.withResolvers<void>();
  readonly #reached = Promise.withResolvers<void>();

  /** Waits until the latch is opened; who waits for `reached` hears of it. */
  readonly wait = (): Promise<void> => {
    this.#reached.resolve();
    return this.#opened.promise;
  };
  get reached(): Promise<void> {
    return this.#reached.promise;
  }
  open(): void {
    this.#opened.resolve();
  }
}
