const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g;

/** Makes external text safe for one line: well-formed, without control characters, at most `limit` characters. */
export const boundedText = (text: string, limit: number): string =>
  text.slice(0, limit).toWellFormed().replace(CONTROLS, ' ').trim();
