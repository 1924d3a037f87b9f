/**
 * The time in which a hand-over may begin. Sent data cannot be recalled; if the window is closed before, the relay is
 * guaranteed not to receive the message.
 */
export class HandOverWindow {
  #begun = false;
  #closesAt: number;

  /** `closesAt` by the monotonic clock, `performance.now()`. */
  constructor(closesAt: number) {
    this.#closesAt = closesAt;
  }

  /** Milliseconds in which the hand-over may still begin; 0 once the window is closed. */
  get remainingMs(): number {
    return Math.max(0, this.#closesAt - performance.now());
  }

  /** Call immediately before sending the data; false if the data must not be sent. */
  begin(): boolean {
    if (this.remainingMs === 0) return false;
    this.#begun = true;
    return true;
  }

  /** True if the data was not started; it can no longer be started then. */
  close(): boolean {
    this.#closesAt = 0;
    return !this.#begun;
  }
}
