import type { Logs } from '@postern/contracts';

/** A line, and its id in the stream of the log if it arrived by it. */
export type Line = Logs['lines'][number] & { readonly id?: string };

export type Level = 'error' | 'warning' | 'other';

export interface LogFilter {
  readonly stream: string;
  readonly instance: string;
  /** The lowest level that is shown; empty for all lines. */
  readonly level: string;
  readonly search: string;
}

const ERROR =
  /\b(?:error|fatal|panic|critical|exception|uncaught|unhandled)\b|Error:|"level":\s*(?:"(?:error|fatal)"|[56]0)/i;
const WARNING = /\bwarn(?:ing)?\b|"level":\s*(?:"warn(?:ing)?"|40)/i;

/** The level of a line, as far as its text tells; a line on stderr is not an error by itself. */
export const levelOf = ({ message }: Pick<Line, 'message'>): Level =>
  ERROR.test(message) ? 'error' : WARNING.test(message) ? 'warning' : 'other';

/** The lines that match every filter; an empty filter matches all. */
export const filtered = (lines: readonly Line[], { stream, instance, level, search }: LogFilter): readonly Line[] => {
  const text = search.toLowerCase();
  if (!stream && !instance && !level && !text) return lines;
  return lines.filter(
    line =>
      (!stream || line.stream === stream) &&
      (!instance || line.instance === instance) &&
      (!level || isOfLevel(levelOf(line), level)) &&
      (!text || line.message.toLowerCase().includes(text)),
  );
};

const isOfLevel = (level: Level, lowest: string): boolean =>
  level === 'error' || (lowest === 'warning' && level === 'warning');

/** The instances of the lines, by name. */
export const instancesIn = (lines: readonly Line[]): readonly string[] =>
  [...new Set(lines.map(({ instance }) => instance))].filter(name => name !== 'platform').sort();

/** The name of the source of a line; the platform has no instance. */
export const sourceOf = ({ instance, stream }: Line): string =>
  stream === 'stdout' || stream === 'platform' || instance === stream ? instance : `${instance} ${stream}`;

/** The lines as text, to copy or to download. */
export const textOf = (lines: readonly Line[]): string =>
  lines.map(line => `${line.timestamp} ${sourceOf(line)}: ${line.message}\n`).join('');

/** How many lines follow the last one that was seen; all if it is no longer among them. */
export const newLinesAfter = (seen: Line | undefined, lines: readonly Line[]): number => {
  if (!seen) return 0;
  const at = lines.findLastIndex(
    line => line === seen || (line.timestamp === seen.timestamp && line.message === seen.message),
  );
  return lines.length - 1 - at;
};

/** The parts of a text before, in and after each occurrence of a search, in any case. */
export const marked = (text: string, search: string): readonly { readonly part: string; readonly hit: boolean }[] => {
  if (search === '') return [{ part: text, hit: false }];
  const parts: { part: string; hit: boolean }[] = [];
  const [lower, wanted] = [text.toLowerCase(), search.toLowerCase()];
  // Some characters have another length in lower case.
  if (lower.length !== text.length) return [{ part: text, hit: false }];
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    if (at > from) parts.push({ part: text.slice(from, at), hit: false });
    parts.push({ part: text.slice(at, at + wanted.length), hit: true });
    from = at + wanted.length;
  }
  return from < text.length ? [...parts, { part: text.slice(from), hit: false }] : parts;
};
