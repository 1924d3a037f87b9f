import type { Blockage, OutboxCheckpoints } from './outbox-checkpoints.js';

/** How long the broker must accept all events before a blockage counts as ended. */
const UNBLOCKED_AFTER_MS = 10_000;

export interface OutboxBlockageOptions {
  readonly checkpoints: OutboxCheckpoints;
  readonly onBlocked: (blockage: Blockage) => void;
  readonly onUnblocked: (blockage: Blockage) => void;
}

/** Whether the broker accepts events, and the start of a blockage. */
export class OutboxBlockage {
  #blockedAt = 0;

  constructor(
    private readonly options: OutboxBlockageOptions,
    private blockage: Blockage | undefined,
  ) {}

  get current(): Blockage | undefined {
    return this.blockage;
  }

  async begin({ condition, reason }: { readonly condition: string; readonly reason: string }): Promise<void> {
    this.#blockedAt = Date.now();
    if (this.blockage?.condition === condition && this.blockage.reason === reason) return;
    const began = this.blockage?.condition !== condition;
    this.blockage = { condition, reason, since: began ? new Date() : (this.blockage?.since ?? new Date()) };
    await this.options.checkpoints.saveBlockage(this.blockage);
    if (began) this.options.onBlocked(this.blockage);
  }

  /** Call it after a page was published. A stream that fills up repeatedly while consumers catch up is one blockage. */
  async published({ full }: { readonly full: boolean }): Promise<void> {
    if (full && Date.now() - this.#blockedAt <= UNBLOCKED_AFTER_MS) return;
    await this.end();
  }

  async end(): Promise<void> {
    const ended = this.blockage;
    if (!ended) return;
    this.blockage = undefined;
    await this.options.checkpoints.saveBlockage(undefined);
    this.options.onUnblocked(ended);
  }
}
