/** The arguments of the command are invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
