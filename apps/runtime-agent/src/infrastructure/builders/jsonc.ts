/** A string, a comment or a comma before a closing bracket. Each alternative also ends at the end of the text, so that no text is read twice. */
const STRING = String.raw`"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)`;
const COMMENTS = new RegExp(String.raw`(${STRING})|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`, 'g');
const TRAILING_COMMAS = new RegExp(String.raw`(${STRING})|,(?=\s*[}\]])`, 'g');

/** Parses JSON with comments and trailing commas. @throws SyntaxError */
export const parseJsonc = (text: string): unknown =>
  JSON.parse(
    text
      .replace(/^\uFEFF/, '')
      .replace(COMMENTS, (_, string?: string) => string ?? ' ')
      .replace(TRAILING_COMMAS, '$1'),
  );
