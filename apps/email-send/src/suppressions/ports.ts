/** A change to the suppression list of an email service. */
export interface SuppressionChange {
  readonly serviceId: string;
  /** Lower case. */
  readonly address: string;
  readonly isSuppressed: boolean;
  readonly at: Date;
}

/** Addresses that bounced hard or complained, per email service. */
export abstract class SuppressionList {
  /** The addresses (lower case) that are suppressed for the service. */
  abstract suppressedAmong(serviceId: string, addresses: readonly string[]): Promise<ReadonlySet<string>>;
  /** Applies changes. For each address the latest change wins, for any order and repetition of changes. */
  abstract apply(changes: readonly SuppressionChange[]): Promise<void>;
}
