import type { Finding } from '../preflight/finding.js';

/** A finding of the hourly check. `place` is `server`, or what the finding is about inside. */
export interface PlacedFinding extends Finding {
  readonly place: string;
}

/** What was found last about one check. */
export type Line = Pick<Finding, 'verdict' | 'found' | 'advice'>;
export type Lines = Readonly<Record<string, Line>>;

/** What was reported to the operator last. */
export interface CheckState {
  readonly lines: Lines;
  /** How often in succession a check could not be carried out. */
  readonly unknown: Readonly<Record<string, number>>;
}

export interface Change {
  readonly check: string;
  readonly before: Line | undefined;
  /** Undefined if the check exists no longer. */
  readonly after: Line | undefined;
}

export const NOTHING_REPORTED: CheckState = { lines: {}, unknown: {} };

/** A check that fails to be carried out so often in succession is itself a finding. */
const UNKNOWN_RUNS = 3;
const SEVERITY = { good: 0, warning: 1, bad: 2 } as const;

const keyOf = ({ place, check }: PlacedFinding): string => (place === 'server' ? check : `${place}: ${check}`);

/** Findings with the same name are one line, with the verdict of the worst. */
const merged = (one: Line | undefined, { verdict, found, advice }: PlacedFinding): Line => {
  const line: Line = { verdict, found, ...(verdict === 'good' || advice === undefined ? {} : { advice }) };
  if (!one) return line;
  const worse = SEVERITY[verdict] > SEVERITY[one.verdict] ? line : one;
  return { ...worse, found: `${one.found}; ${found}` };
};

/** Numbers in a text, such as ages and sizes, are no change. */
const withoutNumbers = (text: string): string => text.replace(/\d+(?:[.,:-]\d+)*/g, '#');

/** Good lines say the same whatever they have found. */
const saysTheSame = (one: Line | undefined, other: Line | undefined): boolean => {
  const [before, after] = [one?.verdict ?? 'good', other?.verdict ?? 'good'];
  if (before !== after) return false;
  return before === 'good' || withoutNumbers(one?.found ?? '') === withoutNumbers(other?.found ?? '');
};

/** The places whose other lines nobody could ask for. Without NATS, that is every place. */
const silentPlaces = (findings: readonly PlacedFinding[], unreached: boolean): 'all' | ReadonlySet<string> => {
  const isBad = (name: string) => (finding: PlacedFinding) => finding.check === name && finding.verdict === 'bad';
  if (unreached || findings.filter(isBad('connection')).some(({ place }) => place === 'NATS')) return 'all';
  return new Set(findings.filter(isBad('responds')).map(({ place }) => place));
};

/**
 * Compares findings with what was reported to the operator last. Checks that could not be carried out keep what was found last.
 * @param unreached whether nothing inside could be asked, so that these lines stay, too.
 */
export const compare = (
  reported: CheckState,
  findings: readonly PlacedFinding[],
  unreached = false,
): { readonly state: CheckState; readonly changes: readonly Change[] } => {
  const lines: Record<string, Line> = {};
  const unknown: Record<string, number> = {};
  for (const finding of findings) {
    const key = keyOf(finding);
    if (finding.unknown) {
      unknown[key] = (reported.unknown[key] ?? 0) + 1;
      const before = reported.lines[key];
      if (unknown[key] < UNKNOWN_RUNS) {
        if (before) lines[key] = before;
        continue;
      }
    }
    lines[key] = merged(lines[key], finding);
  }
  const silent = silentPlaces(findings, unreached);
  for (const [key, line] of Object.entries(reported.lines))
    if (key.includes(': ') && (silent === 'all' || silent.has(key.slice(0, key.indexOf(': '))))) lines[key] ??= line;
  const keys = new Set([...Object.keys(lines), ...Object.keys(reported.lines)]);
  const changes = [...keys]
    .map(check => ({ check, before: reported.lines[check], after: lines[check] }))
    .filter(({ before, after }) => !saysTheSame(before, after));
  return { state: { lines, unknown }, changes };
};

/** The lines that are not good, the worst first. */
export const troubles = (lines: Lines): readonly (Line & { readonly check: string })[] =>
  Object.entries(lines)
    .map(([check, line]) => ({ check, ...line }))
    .filter(({ verdict }) => verdict !== 'good')
    .sort((one, other) => SEVERITY[other.verdict] - SEVERITY[one.verdict]);
