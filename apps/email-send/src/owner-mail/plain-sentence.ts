const MAX_LENGTH = 200;
/** Mail clients make links of numbers that can be called. */
const PHONE_NUMBER = /\d[\d ()+/-]{5,}\d/g;

/**
 * A sentence can quote tenant-controlled text; the space after each dot and colon keeps mail clients from making links of it.
 */
export const plainSentence = (sentence: string, maxLength = MAX_LENGTH): string =>
  (sentence.split('\n')[0] ?? '')
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .slice(0, maxLength)
    .replace(/([.:])(?=[\p{L}/])/gu, '$1 ')
    .replace(PHONE_NUMBER, '…')
    .replaceAll('@', ' at ')
    .slice(0, maxLength)
    .toWellFormed()
    .trim();
