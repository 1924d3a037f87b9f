import type { ProviderEvent } from '@postern/contracts';

/** Reads documents of Amazon SNS. */
export abstract class SnsDocuments {
  /** The body of a 200 response; follows no redirect. @throws for every other outcome. */
  abstract get(url: URL): Promise<string>;
}

/** The service that owns the outcomes of messages. */
export abstract class DeliveryTracking {
  /** Resolves with the number of events that had an effect, once it is durable. */
  abstract record(events: readonly ProviderEvent[]): Promise<number>;
}
