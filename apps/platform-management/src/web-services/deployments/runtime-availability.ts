import { Injectable } from '@nestjs/common';
import { Runtime } from '@postern/runtime';

/** Validity of the result of a check. */
const FRESH_MS = 2_000;

/** Whether the runtime responds, for reads that must not wait for it. */
@Injectable()
export class RuntimeAvailability {
  #unavailableSince: Date | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly runtime: Runtime) {}

  /**
   * The reason why deployments wait for the runtime; null while it responds. Returns the result of the last check, and
   * starts a new check if that result is older than two seconds.
   */
  get waitReason(): string | null {
    if (performance.now() - this.#checkedAt > FRESH_MS) void this.check();
    return this.#unavailableSince
      ? `waiting for the runtime, which has not responded since ${this.#unavailableSince.toISOString()}`
      : null;
  }

  /** Checks now. */
  async check(): Promise<void> {
    this.#checkedAt = performance.now();
    const reachable = await this.runtime.isReachable().catch(() => false);
    this.#unavailableSince = reachable ? undefined : (this.#unavailableSince ?? new Date());
  }
}
