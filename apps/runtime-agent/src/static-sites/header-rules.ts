import { validateHeaderName, validateHeaderValue } from 'node:http';
import { fillIn, matchPath, type PathPattern, pathPattern, segmentsOf } from './path-pattern.js';
import { type Complain, linesOf } from './rule-lines.js';

const MOST_RULES = 500;
const MOST_HEADERS = 100;

/** They describe the message itself, which only the server knows. */
const OF_THE_SERVER = new Set([
  ...['connection', 'content-encoding', 'content-length', 'content-range', 'date', 'etag', 'keep-alive', 'location'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'accept-ranges'],
]);

interface HeaderRule {
  readonly pattern: PathPattern;
  /** A header without a value is removed. */
  readonly headers: { readonly name: string; readonly value: string | undefined }[];
}

export type HeaderRules = readonly HeaderRule[];

/** Rules of `_headers`: a path, then indented lines `Name: value` or `! Name`. */
export const parseHeaders = (text: string, complain: Complain): HeaderRules => {
  const rules: HeaderRule[] = [];
  let current: HeaderRule | undefined;
  for (const { line, isIndented, number } of linesOf(text, '_headers', complain)) {
    const refuse = (why: string) => complain(`_headers, line ${number}: ${why}; the line is ignored`);
    if (!isIndented) {
      const pattern = pathPattern(line);
      current = pattern && { pattern, headers: [] };
      if (!current) refuse(`${line} is no path that begins with a slash, with at most one * as a whole segment`);
      else if (rules.length === MOST_RULES) {
        complain(`_headers: only the first ${MOST_RULES} paths are used`);
        break;
      } else rules.push(current);
      continue;
    }
    const header = headerOf(line);
    if (typeof header === 'string') refuse(header);
    else if (current && current.headers.length < MOST_HEADERS) current.headers.push(header);
    else if (current) refuse(`a path has at most ${MOST_HEADERS} headers`);
  }
  return rules;
};

const headerOf = (line: string): HeaderRule['headers'][number] | string => {
  const removed = /^!\s*(\S+)$/.exec(line);
  const colon = line.indexOf(':');
  if (!removed && colon < 1) return 'a header is Name: value';
  const name = (removed ? removed[1]! : line.slice(0, colon).trim()).toLowerCase();
  const value = removed ? undefined : line.slice(colon + 1).trim();
  try {
    validateHeaderName(name);
    if (value !== undefined) validateHeaderValue(name, value);
  } catch {
    return `${name} is not a valid header`;
  }
  return OF_THE_SERVER.has(name) ? `${name} is set by the server` : { name, value };
};

/** Values of several rules for one header are joined with a comma, as the two services document it. */
export const headersFor = (rules: HeaderRules, path: string): ReadonlyMap<string, string | undefined> => {
  const segments = segmentsOf(path);
  const found = new Map<string, string | undefined>();
  for (const { pattern, headers } of rules) {
    const parameters = matchPath(pattern, segments);
    if (!parameters) continue;
    for (const { name, value } of headers) {
      const earlier = found.get(name);
      const filled = value && fillIn(value, parameters);
      found.set(name, earlier !== undefined && filled !== undefined ? `${earlier}, ${filled}` : filled);
    }
  }
  return found;
};
