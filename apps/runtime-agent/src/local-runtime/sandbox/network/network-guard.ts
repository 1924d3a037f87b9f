import type { TenantNetworks } from './tenant-network.js';

const EVERY_MS = 10_000;

/** Rules that depend on the state of the machine. */
export interface CurrentRules {
  /** Changes when the rules must be replaced. */
  readonly version: string;
  apply(): Promise<void>;
}

/**
 * Restores the rules if a program of the machine has deleted them, as a restart of its firewall does, and replaces them when the name
 * servers or addresses of the machine have changed.
 */
export class NetworkGuard {
  #version: string;
  #state: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    private readonly networks: TenantNetworks,
    /** Undefined once the block is released: the rules must then stay away. */
    private readonly currentRules: () => Promise<CurrentRules | undefined>,
    applied: string,
  ) {
    this.#version = applied;
  }

  start(everyMs = EVERY_MS): void {
    const next = () => {
      if (this.#isStopped) return;
      this.#timer = setTimeout(
        () =>
          void this.check()
            .catch(() => {})
            .finally(next),
        everyMs,
      ).unref();
    };
    next();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async check(): Promise<void> {
    const rules = await this.currentRules();
    if (!rules) {
      this.stop();
      return;
    }
    const state = await this.networks.rules.state();
    if (state && rules.version === this.#version) {
      this.#state = state;
      return;
    }
    await rules.apply();
    if (!state && this.#state) await this.networks.rules.restore(this.#state);
    this.#version = rules.version;
  }
}
