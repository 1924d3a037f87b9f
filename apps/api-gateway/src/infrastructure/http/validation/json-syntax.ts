import { printParseErrorCode, visit } from 'jsonc-parser';

/** Longer texts are not parsed again to find the position of an error. */
const MAX_TEXT_LENGTH = 256 * 1024;

const EXPECTATIONS: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a field name in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing brace is expected',
  CloseBracketExpected: 'a closing bracket is expected',
  EndOfFileExpected: 'there is text after its end',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfString: 'a string does not end',
  InvalidEscapeCharacter: 'a string has an invalid escape sequence',
  InvalidUnicode: 'a string has an invalid escape sequence',
  InvalidCharacter: 'a string has a control character',
  InvalidNumberFormat: 'a number is not valid',
  UnexpectedEndOfNumber: 'a number is not valid',
};

interface SyntaxProblem {
  readonly code: string;
  readonly line: number;
  readonly column: number;
}

/** For example `: a value is expected at line 1, column 9` for invalid JSON; empty for a very long text. */
export const describeSyntaxError = (text: string): string => {
  const first = text.length > MAX_TEXT_LENGTH ? undefined : firstProblem(text);
  return first
    ? `: ${EXPECTATIONS[first.code] ?? 'unexpected text'} at line ${first.line}, column ${first.column}`
    : '';
};

/** The visitor cannot be stopped, so the first error ends it by an exception. */
const firstProblem = (text: string): SyntaxProblem | undefined => {
  let first: SyntaxProblem | undefined;
  try {
    const onError = (error: number, _offset: number, _length: number, line: number, character: number) => {
      first = { code: printParseErrorCode(error), line: line + 1, column: character + 1 };
      throw new Error('the position of the first error is known');
    };
    visit(text, { onError }, { disallowComments: true });
  } catch (stopped) {
    if (!first) throw stopped;
  }
  return first;
};
