import type { TextFile } from './source-tree.js';

/** A longer file has more than one subject. */
const MAX_LINES = 300;

/** The first line of a file that a program of this repository writes. */
const GENERATED = /^\/\/ Written by /;

/** Source files with too many lines, as sentences. Generated files may have any number. */
export const tooLongFiles = (files: readonly TextFile[]): string[] =>
  files
    .filter(({ text }) => !GENERATED.test(text))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path} has ${lines} lines, but a file has at most ${MAX_LINES}: divide it by subject`);
