import type { JsMsg } from '@nats-io/jetstream';

/** Stream sequences that a consumer will never be given, first and last included. */
export interface MissingSequences {
  readonly first: number;
  readonly last: number;
}

/**
 * Finds sequences that JetStream passed over. The server counts every delivery to any replica, and first deliveries are
 * in the order of the stream: between two of them it cannot have advanced by more sequences than deliveries, unless it
 * skipped some. Redeliveries to other replicas can hide a gap; nothing else can, and nothing feigns one.
 */
export class DeliverySequence {
  #stream = 0;
  #delivery = 0;
  /** Redeliveries since the last first delivery. */
  #repeated = 0;

  /** Begins behind the last message that the server has delivered, or that the stream has dropped. */
  begin({ stream, delivery }: { readonly stream: number; readonly delivery: number }): void {
    this.#stream = stream;
    this.#delivery = delivery;
    this.#repeated = 0;
  }

  /** Takes note of a delivery; answers the sequences that were passed over before it. */
  see({ info }: Pick<JsMsg, 'info'>): MissingSequences | undefined {
    const { streamSequence, deliverySequence, deliveryCount } = info;
    // A server that crashed may have forgotten its last deliveries, and counts them once more.
    if (deliverySequence <= this.#delivery) return this.#from(streamSequence, deliverySequence);
    if (deliveryCount > 1) {
      this.#repeated++;
      return undefined;
    }
    const advanced = streamSequence - this.#stream;
    const delivered = deliverySequence - this.#delivery - this.#repeated;
    const missing = advanced > delivered ? { first: this.#stream + 1, last: streamSequence - 1 } : undefined;
    this.#from(streamSequence, deliverySequence);
    return missing;
  }

  #from(stream: number, delivery: number): undefined {
    this.begin({ stream, delivery });
  }
}
