import { Refusal } from '@postern/contracts';

/** Refuses characters that PostgreSQL or a command line cannot contain: NUL and lone surrogates. */
export function requireStorable(field: string, text: string | null | undefined): void {
  if (text && (text.includes('\0') || !text.isWellFormed())) {
    throw new Refusal('invalid_input', `${field}: must be well-formed Unicode without NUL`);
  }
}
