/** Creates verification codes and limits how many a service may mail. */
export abstract class VerificationCodes {
  /** Six unpredictable digits. */
  abstract newCode(): string;
  /** Keyed hashes of a code for one recipient, one per encryption key; a new code is stored under the first. */
  abstract hashesOf(recipientId: string, code: string): readonly [string, ...string[]];
  /** Counts a code mail of the service; refuses with `too_many_codes` above the hourly limit. */
  abstract reserve(serviceId: string, at: Date): Promise<void>;
  /** Undoes `reserve` for a mail that was not sent. */
  abstract release(serviceId: string, at: Date): Promise<void>;
}
