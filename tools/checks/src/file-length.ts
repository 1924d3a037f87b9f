import type { TextFile } from './source-tree.js';

/** A longer file should be split. */
const MAX_LINES = 300;

/** The first line of a generated file of this repository. */
const GENERATED = /^\/\/ Written by /;

/** Describes source files with too many lines; generated files have no limit. */
export const tooLongFiles = (files: readonly TextFile[]): string[] =>
  files
    .filter(({ text }) => !GENERATED.test(text))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path} has ${lines} lines, but a file has at most ${MAX_LINES}: divide it by subject`);
