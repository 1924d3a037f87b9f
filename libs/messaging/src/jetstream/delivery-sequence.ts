import type { JsMsg } from '@nats-io/jetstream';

/** Stream sequences that a consumer will never receive, inclusive. */
export interface MissingSequences {
  readonly first: number;
  readonly last: number;
}

/**
 * Finds sequences that JetStream skipped: between two first deliveries, the sequence advances by no more than the number of
 * deliveries. Redeliveries to other replicas can hide a gap; no false gap is reported.
 */
export class DeliverySequence {
  #stream = 0;
  #delivery = 0;
  /** Redeliveries since the last first delivery. */
  #repeated = 0;

  /** Starts after the last message that the server delivered or the stream dropped. */
  begin({ stream, delivery }: { readonly stream: number; readonly delivery: number }): void {
    this.#stream = stream;
    this.#delivery = delivery;
    this.#repeated = 0;
  }

  /**
   * Records a delivery.
   * @returns the sequences that were skipped before it.
   */
  record({ info }: Pick<JsMsg, 'info'>): MissingSequences | undefined {
    const { streamSequence, deliverySequence, deliveryCount } = info;
    // A server that crashed may count its last deliveries again.
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
