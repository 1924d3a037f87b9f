/**
 * The time in which a hand-over may be begun. Once its data is on its way nothing can take it back; until then the
 * window can be closed, and it is certain that the relay does not get the message.
 */
export class HandOverWindow {
  #begun = false;
  #closesAt: number;

  /** `closesAt` in milliseconds since the epoch. */
  constructor(closesAt: number) {
    this.#closesAt = closesAt;
  }

  /** Milliseconds in which it may still be begun; 0 once the window is closed. */
  get remainingMs(): number {
    return Math.max(0, this.#closesAt - Date.now());
  }

  /** Asked immediately before the data is sent; false where it must not be. */
  begin(): boolean {
    if (this.remainingMs === 0) return false;
    this.#begun = true;
    return true;
  }

  /** True where the data had not been begun, and now never will be. */
  close(): boolean {
    this.#closesAt = 0;
    return !this.#begun;
  }
}
