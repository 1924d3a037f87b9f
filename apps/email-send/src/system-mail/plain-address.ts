const MAX_LENGTH = 100;
const PLAIN = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** The address of a user for a mail in the operator's name; undefined for one that a mail client could show as another link. */
export const plainAddress = (address: string): string | undefined =>
  address.length <= MAX_LENGTH && PLAIN.test(address) && !address.startsWith('www.') ? address : undefined;
