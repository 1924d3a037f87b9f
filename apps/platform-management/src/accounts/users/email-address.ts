/** Excludes control characters and lone surrogates, which PostgreSQL cannot store. */
const ADDRESS = /^[^\s\p{Cc}\p{Cs}@<>,;]+@[^\s\p{Cc}\p{Cs}@<>,;]+\.[^\s\p{Cc}\p{Cs}@<>,;]+$/u;

/** The lower-case form in which an address is stored and compared; undefined for an invalid address. */
export const canonicalAddress = (text: string): string | undefined => {
  const address = text.trim().toLowerCase();
  return ADDRESS.test(address) ? address : undefined;
};
