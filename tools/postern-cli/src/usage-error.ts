/** The command was not asked in a way that it understands. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
