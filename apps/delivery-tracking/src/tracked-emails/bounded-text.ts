const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g;

/** Text from outside, fit for one line of a log or a webhook: no controls, well-formed, at most `limit` characters. */
export const boundedText = (text: string, limit: number): string =>
  text.slice(0, limit).toWellFormed().replace(CONTROLS, ' ').trim();
