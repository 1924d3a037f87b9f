import type { HandOver } from './hand-over.js';
import type { RelayConfig } from './relay-config.js';
import type { HandOverResult } from './smtp-answer.js';
import { lacksSmtpUtf8 } from './smtp-envelope.js';
import { type ProbeResult, SmtpPool } from './smtp-pool.js';

/** A relay with its name in logs, metrics and results. */
export interface NamedRelay extends RelayConfig {
  readonly relay: string;
}

/** The final result, and the relay that gave it (for `unreachable`: the last one tried). */
export type RelayedResult = HandOverResult & { readonly relay: string };

/** The part of a pool that `RelaySet` needs. */
export type Relay = Pick<SmtpPool, 'config' | 'handOver' | 'probe' | 'offers' | 'close'>;

interface Station {
  readonly relay: string;
  readonly pool: Relay;
  failures: number;
  restsUntil: number;
}

interface Options {
  /** Consecutive failures after which a relay rests. */
  readonly failuresToRest?: number;
  /** How long it then rests before it is tried again. */
  readonly restMs?: number;
  readonly now?: () => number;
}

/**
 * Relays in order of preference. The next is tried when one is unreachable or defers; a relay that keeps failing to
 * answer rests for a while, in which it is tried only if all of them rest. `unknown` is never tried again.
 */
export class RelaySet {
  readonly #stations: Station[];
  readonly #failuresToRest: number;
  readonly #restMs: number;
  readonly #now: () => number;

  constructor(relays: readonly { readonly relay: string; readonly pool: Relay }[], options: Options = {}) {
    if (relays.length === 0) throw new RangeError('at least one relay is needed');
    this.#stations = relays.map(({ relay, pool }) => ({ relay, pool, failures: 0, restsUntil: 0 }));
    this.#failuresToRest = options.failuresToRest ?? 3;
    this.#restMs = options.restMs ?? 5_000;
    this.#now = options.now ?? Date.now;
  }

  /** A set with a separate pool for each relay. */
  static fromConfigs(relays: readonly NamedRelay[], options?: Options): RelaySet {
    return new RelaySet(
      relays.map(config => ({ relay: config.relay, pool: new SmtpPool(config) })),
      options,
    );
  }

  /** True if a relay is known to offer SMTPUTF8; false before the first connection. */
  get smtpUtf8Offered(): boolean {
    return this.#stations.some(({ pool }) => pool.offers?.smtpUtf8Offered === true);
  }

  /** Hands over to the first relay that gives a final answer; otherwise returns the best of the other answers. */
  async handOver(mail: HandOver): Promise<RelayedResult> {
    let best: RelayedResult | undefined;
    for (const station of this.#inOrder()) {
      const result = { ...(await station.pool.handOver(mail)), relay: station.relay };
      if (!(result.kind === 'unreachable' && mail.window?.remainingMs === 0)) this.#note(station, result.kind);
      const isFinal = result.kind !== 'unreachable' && result.kind !== 'deferred';
      if (isFinal && !lacksSmtpUtf8(result)) return result;
      // The response of a relay is more useful than the fact that another could not be reached.
      if (best === undefined || best.kind === 'unreachable' || lacksSmtpUtf8(best)) best = result;
      if (mail.window?.remainingMs === 0) break;
    }
    return best!;
  }

  /** Probes all relays concurrently, for readiness: one `ok` suffices. */
  async probe(): Promise<(ProbeResult & { readonly relay: string })[]> {
    return Promise.all(
      this.#stations.map(async station => {
        const result = await station.pool.probe();
        if (result.ok) this.#note(station, 'accepted');
        return { ...result, relay: station.relay };
      }),
    );
  }

  /** Drains and closes every pool. */
  async close(): Promise<void> {
    await Promise.all(this.#stations.map(({ pool }) => pool.close()));
  }

  /** Relays in order of preference, resting ones last. */
  #inOrder(): Station[] {
    const now = this.#now();
    const awake = this.#stations.filter(({ restsUntil }) => restsUntil <= now);
    return awake.length > 0 ? awake : [...this.#stations];
  }

  #note(station: Station, kind: HandOverResult['kind']): void {
    if (kind !== 'unreachable') {
      station.failures = 0;
      station.restsUntil = 0;
      return;
    }
    station.failures++;
    if (station.failures >= this.#failuresToRest) station.restsUntil = this.#now() + this.#restMs;
  }
}
