/** One statement of a script: words in lower case, without comments and with empty strings. */
export interface SqlStatement {
  readonly text: string;
  /** The comments before and in it. */
  readonly comments: readonly string[];
}

const LINE_COMMENT = /--[^\n]*/y;
const DOLLAR_QUOTED = /\$([A-Za-z_]\w*)?\$/y;
const QUOTED_NAME = /"((?:[^"]|"")*)"/y;
const TEXT = /'(?:[^']|'')*'/y;
const ESCAPED_TEXT = /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y;
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/;

/**
 * The statements of a script.
 * @throws for a text or comment that does not end.
 */
export const sqlStatements = (script: string): readonly SqlStatement[] => {
  const statements: SqlStatement[] = [];
  let text = '';
  let comments: string[] = [];
  let at = 0;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const end = () => {
    const normal = text.replaceAll(/\s+/g, ' ').trim();
    if (normal !== '') statements.push({ text: normal, comments });
    text = '';
    comments = [];
  };
  while (at < script.length) {
    const comment = read(LINE_COMMENT);
    if (comment) comments.push(comment[0].slice(2).trim());
    else if (script.startsWith('/*', at)) at = endOfComment(script, at);
    else if (read(ESCAPED_TEXT) || read(TEXT)) text += "''";
    else if (script[at] === "'") throw new Error('a text has no end');
    else if (script[at] === '"') text += nameOf(read(QUOTED_NAME));
    else if (script[at] === ';') {
      at += 1;
      end();
    } else {
      const quote = read(DOLLAR_QUOTED);
      if (quote) {
        const close = script.indexOf(quote[0], at);
        if (close === -1) throw new Error(`a text in ${quote[0]} has no end`);
        at = close + quote[0].length;
        text += "''";
      } else text += read(WORD)?.[0].toLowerCase() ?? script[at++];
    }
  }
  end();
  return statements;
};

/** Names are compared without quotes, unless these are needed. */
const nameOf = (quoted: RegExpExecArray | null): string => {
  if (!quoted) throw new Error('a name has no end');
  const name = quoted[1] ?? '';
  return PLAIN_NAME.test(name) ? name : `"${name.replaceAll(/[\s;]/g, '_')}"`;
};

/** Comments of PostgreSQL may contain comments. */
const endOfComment = (script: string, start: number): number => {
  let depth = 0;
  for (const { 0: mark, index } of script.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1;
    if (depth === 0) return start + index + 2;
  }
  throw new Error('a comment has no end');
};
