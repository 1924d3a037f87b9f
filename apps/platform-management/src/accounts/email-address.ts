/** Control characters and halves of surrogate pairs, too, have no place in an address, nor does PostgreSQL keep them all. */
const ADDRESS = /^[^\s\p{Cc}\p{Cs}@<>,;]+@[^\s\p{Cc}\p{Cs}@<>,;]+\.[^\s\p{Cc}\p{Cs}@<>,;]+$/u;

/** The form in which an address is kept and compared, in lower case; undefined for what is no address. */
export const canonicalAddress = (text: string): string | undefined => {
  const address = text.trim().toLowerCase();
  return ADDRESS.test(address) ? address : undefined;
};
