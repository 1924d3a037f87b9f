const SCHEME = 'docker://';

/** The address of an image as a source, from its reference. */
export const imageAddress = (reference: string): string => SCHEME + reference;

/** The reference of the image at an address; undefined for a repository. */
export const imageReferenceIn = (address: string): string | undefined =>
  address.startsWith(SCHEME) ? address.slice(SCHEME.length) : undefined;
