/** Blocks code under test until the test opens it. */
export class Latch {
  readonly #opened = Promise.withResolvers<void>();
  readonly #reached = Promise.withResolvers<void>();

  /** Waits until the latch is opened, and resolves `reached`. */
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
