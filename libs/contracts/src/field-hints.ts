import { z } from 'zod';

/** What error messages say of likely slips in an object. */
export interface FieldHints {
  /** Sentences about fields that other APIs have, by the name in lower case without punctuation. */
  readonly unknown: Readonly<Record<string, string>>;
  /** Fields of which at least one is needed. */
  readonly oneOf: readonly string[];
}

/** Hints by schema; a registry of its own, because JSON Schema would show them. */
export const fieldHints = z.registry<FieldHints>();
