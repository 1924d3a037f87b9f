import { readFile, rename, writeFile } from 'node:fs/promises';

/** The result of one sample repository. */
export interface SampleResult {
  readonly repository: string;
  readonly commit: string;
  /** As stated in the build log; the table has the first ones. */
  readonly rules: readonly string[];
  readonly serves: boolean;
  /** The response to `GET /`, or why the application does not serve it. */
  readonly reason: string;
  readonly seconds: number;
}

const HEADER = '| Repository | Commit | Serves | `GET /`, or the reason | Seconds | Rules in the build log |';
const RULE = '| --- | --- | --- | --- | ---: | --- |';
/** The beginning of a reason says what to do; commands follow. */
const CELL = 160;
/** The first rules say which language and framework was found. */
const MOST_RULES = 2;

const cell = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
  return line.length > CELL ? `${line.slice(0, CELL)}…` : line;
};

const rowOf = ({ repository, commit, rules, serves, reason, seconds }: SampleResult): string =>
  `| ${[repository, commit.slice(0, 10), serves ? 'yes' : 'no', cell(reason), String(seconds), rules.slice(0, MOST_RULES).map(cell).join('<br>')].join(' | ')} |`;

const nameIn = (row: string): string => row.split(' | ')[0]?.slice(2) ?? '';

/** The rows of the table of an earlier run; none if the file does not exist. */
const rowsIn = async (path: string): Promise<readonly string[]> => {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').filter(line => line.startsWith('| ') && line !== HEADER && line !== RULE);
};

/** The repositories that have a row in the table. */
export const measuredIn = async (path: string): Promise<ReadonlySet<string>> =>
  new Set((await rowsIn(path)).map(nameIn));

/** Adds the row of a repository, in place of its earlier one. */
export const writeResult = async (path: string, result: SampleResult): Promise<void> => {
  const others = (await rowsIn(path)).filter(row => nameIn(row) !== result.repository);
  const rows = [...others, rowOf(result)].sort();
  const served = rows.filter(row => row.split(' | ')[2] === 'yes').length;
  const text = [`${served} of ${rows.length} serve.`, '', HEADER, RULE, ...rows, ''].join('\n');
  await writeFile(`${path}.draft`, text);
  await rename(`${path}.draft`, path);
};
