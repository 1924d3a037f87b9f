/** Thrown for a draft that cannot be composed; a draft that passes the validation of the API never causes it. */
export class CompositionError extends Error {
  override readonly name = 'CompositionError';
}
