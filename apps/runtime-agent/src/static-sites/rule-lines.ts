/** Tells the owner of the site about a line that is not used. */
export type Complain = (line: string) => void;

const LONGEST_LINE = 2_000;

export interface RuleLine {
  readonly line: string;
  readonly isIndented: boolean;
  readonly number: number;
}

/** The lines of a file with rules, without empty lines and comments. */
export function* linesOf(text: string, file: string, complain: Complain): Iterable<RuleLine> {
  for (const [place, whole] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (whole.length > LONGEST_LINE) {
      complain(`${file}, line ${place + 1}: a line has at most ${LONGEST_LINE} characters; the line is ignored`);
      continue;
    }
    const line = withoutComment(whole).trim();
    if (line !== '') yield { line, isIndented: /^\s/.test(whole), number: place + 1 };
  }
}

/** A `#` inside of a word is part of a URL. */
const withoutComment = (line: string): string => (/^\s*#/.test(line) ? '' : line);
