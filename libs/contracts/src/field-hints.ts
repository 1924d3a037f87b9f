import { z } from 'zod';

/** Hints in error messages about likely mistakes in an object. */
export interface FieldHints {
  /** Sentences about fields that other APIs have, by the name in lower case without punctuation. */
  readonly unknown: Readonly<Record<string, string>>;
  /** Fields of which at least one is needed. */
  readonly oneOf: readonly string[];
}

/** Hints by schema, in a separate registry, because JSON Schema would show them otherwise. */
export const fieldHints = z.registry<FieldHints>();
