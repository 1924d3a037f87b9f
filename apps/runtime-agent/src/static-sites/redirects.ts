import { fillIn, matchPath, type Parameters, type PathPattern, pathPattern, segmentsOf } from './path-pattern.js';
import { type Complain, linesOf } from './rule-lines.js';

/** The limit of Cloudflare Pages, with room. */
const MOST_RULES = 2_500;
const STATUSES = new Set([200, 301, 302, 303, 307, 308, 404]);

export interface RedirectRule {
  readonly from: PathPattern;
  /** Required parameters of the query: a value, or `:name`. */
  readonly query: readonly (readonly [string, string])[];
  readonly to: string;
  readonly status: number;
  /** Whether the rule applies although a file has this path. */
  readonly isForced: boolean;
}

export interface Redirect {
  readonly to: string;
  readonly status: number;
}

/** Rules of `_redirects`: `from [name=value …] to [status[!]]`, one a line, the first that matches applies. */
export const parseRedirects = (text: string, complain: Complain): readonly RedirectRule[] => {
  const rules: RedirectRule[] = [];
  for (const { line, number } of linesOf(text, '_redirects', complain)) {
    if (rules.length === MOST_RULES) {
      complain(`_redirects: only the first ${MOST_RULES} rules are used`);
      break;
    }
    const rule = ruleOf(line);
    if (typeof rule === 'string') complain(`_redirects, line ${number}: ${rule}; the line is ignored`);
    else rules.push(rule);
  }
  return rules;
};

const ruleOf = (line: string): RedirectRule | string => {
  const [source = '', ...words] = line.split(/\s+/);
  const from = pathPattern(source);
  if (!from) return `${source} is no path that begins with a slash, with at most one * as a whole segment`;
  const place = words.findIndex(word => word.startsWith('/') || /^https?:\/\//i.test(word));
  const to = words[place];
  if (to === undefined) return 'there is no target that begins with / or https://';
  const query = words.slice(0, place).map(word => word.split('=', 2));
  if (query.some(({ length }) => length !== 2)) return 'a parameter of the query is name=value';
  const [status = '301', ...conditions] = words.slice(place + 1);
  const code = /^(\d{3})(!?)$/.exec(status);
  if (!code || !STATUSES.has(Number(code[1]))) return `${status} is not one of ${[...STATUSES].join(', ')}`;
  if (conditions.length > 0) return `the condition ${conditions[0]} is not supported`;
  if (!to.startsWith('/') && ['200', '404'].includes(code[1]!)) return 'a site does not serve pages of other hosts';
  const pairs = query.map(([name = '', value = '']) => [name, value] as const);
  return { from, query: pairs, to, status: Number(code[1]), isForced: code[2] === '!' };
};

/** @param query the query of the request with its question mark, or the empty text. It stays unless the target has its own. */
export const redirectFor = (rules: readonly RedirectRule[], path: string, query: string): Redirect | undefined => {
  const segments = segmentsOf(path);
  for (const rule of rules) {
    const found = matchPath(rule.from, segments);
    const given = found && queryOf(rule, query);
    if (!given) continue;
    const to = withinSite(fillIn(rule.to, { ...given, ...found }));
    return { to: to.includes('?') ? to : withQuery(to, query), status: rule.status };
  }
  return undefined;
};

const queryOf = ({ query: wanted }: RedirectRule, query: string): Parameters | undefined => {
  if (wanted.length === 0) return {};
  const actual = new URLSearchParams(query);
  const found: Record<string, string> = {};
  for (const [name, value] of wanted) {
    const given = actual.get(name);
    if (given === null || (!value.startsWith(':') && value !== given)) return undefined;
    if (value.startsWith(':')) found[value.slice(1)] = encodeURIComponent(given);
  }
  return found;
};

const withQuery = (to: string, query: string): string => {
  const [target = '', ...fragment] = to.split('#');
  return [target + query, ...fragment].join('#');
};

/** A path that begins with two slashes would lead to another host, which a visitor could choose. */
const withinSite = (to: string): string => to.replace(/^[/\\]+/, '/');
