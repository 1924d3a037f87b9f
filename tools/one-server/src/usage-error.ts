/** A command with wrong arguments; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
