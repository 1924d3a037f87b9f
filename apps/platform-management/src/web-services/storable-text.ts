import { Refusal } from '@postern/contracts';

/** Refuses what neither PostgreSQL nor a command line can hold: NUL and lone surrogates. */
export function requireStorable(field: string, text: string | null | undefined): void {
  if (text && (text.includes('\0') || !text.isWellFormed())) {
    throw new Refusal('invalid_input', `${field}: must be well-formed Unicode without NUL`);
  }
}
