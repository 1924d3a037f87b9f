/** Writes many entries of a suppression list at once. */
export abstract class ListedAddresses {
  /** Lists addresses in one transaction; returns those that were not listed. `at` is an ISO time. */
  abstract list(serviceId: string, addresses: readonly string[], at: string): Promise<readonly string[]>;
}
