import type { SqlStatement } from './sql-statements.js';

/** What a statement does to the release that runs while it is carried out, and after it. */
export interface Harm {
  /** `contracts`: the running release needs what it changes. `locks`: it stops reads or writes for long. */
  readonly kind: 'contracts' | 'locks';
  readonly what: string;
  readonly instead: string;
}

const contracts = (what: string, instead: string): Harm => ({ kind: 'contracts', what, instead });
const locks = (what: string, instead: string): Harm => ({ kind: 'locks', what, instead });

const NAME = String.raw`(?:if (?:not )?exists )?(?:only )?((?:[\w$]+|"[^"]*")(?:\.(?:[\w$]+|"[^"]*"))?)`;
const CREATED = new RegExp(`^create (?:unlogged )?table ${NAME}`);
const ALTERED = new RegExp(`^alter table ${NAME}(?: \\*)? (.*)$`);
const INDEXED = new RegExp(String.raw`^create (unique )?index (concurrently )?.*?\bon ${NAME}`);
const CHANGED_ROWS = new RegExp(`^(?:update|delete from|truncate(?: table)?) ${NAME}`);

const LATER = 'Stop using it in one release, and change it in a later one';
const ELSEWHERE = 'Create it CONCURRENTLY, as the only statement of its migration';
const VALIDATED = 'Add it NOT VALID, and VALIDATE it in a later migration';

/** The name without its schema. */
const tableOf = (name: string): string => name.split('.').at(-1) ?? name;

/** The table that a statement creates. */
export const createdTable = ({ text }: SqlStatement): string | undefined => {
  const name = CREATED.exec(text)?.[1];
  return name === undefined ? undefined : tableOf(name);
};

/** Splits at commas outside parentheses. */
const partsOf = (list: string): readonly string[] => {
  const parts = [''];
  let depth = 0;
  for (const letter of list) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map(part => part.trim());
};

/** Functions with another value for each row, for which PostgreSQL writes the table anew. */
const VOLATILE = /\b(?:gen_random_uuid|uuidv[47]|random|clock_timestamp|nextval|timeofday)\s*\(/;
const GENERATED = /\bgenerated (?:always|by default)\b|\b(?:small|big)?serial\b/;

const columnHarms = (definition: string): readonly Harm[] => {
  const column = definition.split(' ')[0] ?? '';
  const harms: Harm[] = [];
  if (/\bnot null\b/.test(definition) && !/\bdefault\b/.test(definition) && !GENERATED.test(definition))
    harms.push(
      contracts(
        `the new column ${column} must not be null, and the running release does not write it`,
        'Give it a default, or let it be null',
      ),
    );
  if (GENERATED.test(definition) || (/\bdefault\b/.test(definition) && VOLATILE.test(definition)))
    harms.push(
      locks(
        `the value of the new column ${column} makes PostgreSQL write the table anew`,
        'Add the column without it, set the default, and fill the rows in batches from the service',
      ),
    );
  if (/\bunique\b|\bprimary key\b/.test(definition))
    harms.push(
      contracts(`the new column ${column} must be unique`, 'Create a unique index when no release writes duplicates'),
    );
  if (/\breferences\b|\bcheck \(/.test(definition))
    harms.push(locks(`the condition on ${column} reads the whole table`, VALIDATED));
  return harms;
};

type ActionRule = readonly [pattern: RegExp, harm: (match: RegExpExecArray) => readonly Harm[]];

const ACTIONS: readonly ActionRule[] = [
  [
    /^drop (?:column )?(?!constraint\b)(?:if exists )?(\S+)/,
    ([, column]) => [contracts(`column ${column} is dropped`, LATER)],
  ],
  [
    /^drop constraint (?:if exists )?(\S+)/,
    ([, name]) => [contracts(`constraint ${name} is dropped, which ON CONFLICT may name`, LATER)],
  ],
  [
    /^rename column (\S+)|^rename (?!to\b|constraint\b)(\S+)/,
    ([, a, b]) => [
      contracts(
        `column ${a ?? b} is renamed`,
        'Add a column with the new name, write both, and drop the old one in a later release',
      ),
    ],
  ],
  [/^rename constraint (\S+)/, ([, name]) => [contracts(`constraint ${name} is renamed`, LATER)]],
  [/^rename to /, () => [contracts('the table is renamed', 'Keep its name')]],
  [/^set schema /, () => [contracts('the table moves to another schema', 'Keep its schema')]],
  [
    /^alter (?:column )?(\S+) (?:set data )?type /,
    ([, column]) => [
      contracts(
        `column ${column} changes its type, which may also write the table anew`,
        'Add a column with the new type, write both, and drop the old one in a later release',
      ),
    ],
  ],
  [
    /^alter (?:column )?(\S+) set not null/,
    ([, column]) => [
      contracts(
        `column ${column} must no longer be null, and the running release may write null`,
        'Write it in one release, and demand it in a later one',
      ),
    ],
  ],
  [
    /^alter (?:column )?(\S+) drop not null/,
    ([, column]) => [
      contracts(
        `column ${column} may be null, and the running release may not read null`,
        'Read null in one release, and write it in a later one',
      ),
    ],
  ],
  [
    /^alter (?:column )?(\S+) drop default/,
    ([, column]) => [contracts(`column ${column} loses its default, which the running release may rely on`, LATER)],
  ],
  [/^alter (?:column )?\S+ (?:set default|set statistics|set storage|set \(|reset \()/, () => []],
  [/^alter constraint /, () => []],
  [
    /^add (?:constraint \S+ )?(?:unique|primary key|exclude)\b/,
    () => [
      contracts(
        'rows must be unique, and the running release may write duplicates',
        'Demand it when no release writes duplicates',
      ),
    ],
  ],
  [
    /^add (?:constraint (\S+) )?(?:check|foreign key)\b.*$/,
    ([text, name = 'a constraint']) => [
      contracts(
        `${name} forbids rows that the running release may write`,
        'Write only such rows in one release, and demand it in a later one',
      ),
      ...(/\bnot valid\b/.test(text) ? [] : [locks(`${name} reads the whole table`, VALIDATED)]),
    ],
  ],
  [/^add (?:column )?(?:if not exists )?(.*)$/, ([, definition = '']) => columnHarms(definition)],
  [/^validate constraint |^(?:re)?set \(|^replica identity |^cluster on |^owner to /, () => []],
  [
    /^set tablespace |^set (?:un)?logged/,
    () => [locks('the table is written anew', 'Do it by hand, in a maintenance window')],
  ],
];

const actionHarms = (action: string): readonly Harm[] => {
  for (const [pattern, harm] of ACTIONS) {
    const match = pattern.exec(action);
    if (match) return harm(match);
  }
  return [contracts(`the check does not know "${action}"`, 'Say why it is safe')];
};

type StatementRule = readonly [pattern: RegExp, harms: (match: RegExpExecArray, isAlone: boolean) => readonly Harm[]];

const STATEMENTS: readonly StatementRule[] = [
  [
    /^create (?:unlogged )?table |^create sequence |^create type |^create (?:or replace )?function |^create schema |^comment on /,
    () => [],
  ],
  [/^alter type \S+ add value /, () => []],
  [/^alter sequence |^alter function .* owner to /, () => []],
  [/^insert into /, () => []],
  [/^set (?:local )?(?:lock_timeout|statement_timeout)\b/, () => []],
  [
    /^drop (table|view|materialized view|type|sequence|function|schema|trigger) (?:if exists )?(\S+)/,
    ([, kind, name]) => [contracts(`${kind} ${name} is dropped`, LATER)],
  ],
  [
    /^drop index (concurrently )?(?:if exists )?(\S+)/,
    ([, concurrently, name]) => [
      contracts(`index ${name} is dropped, which the running release may need to be fast, or for ON CONFLICT`, LATER),
      ...(concurrently
        ? []
        : [
            locks(
              `dropping ${name} waits for every query, and others wait for it`,
              'Drop it CONCURRENTLY, as the only statement of its migration',
            ),
          ]),
    ],
  ],
  [
    /^lock |^vacuum |^cluster |^reindex (?!.*\bconcurrently\b)/,
    ([text]) => [locks(`${text.trim().toUpperCase()} stops reads or writes`, 'Do it by hand, in a maintenance window')],
  ],
];

/** The harm of a statement, on tables that exist before the migrations of a release. */
export const harmsOf = (
  { text }: SqlStatement,
  { isNew, isAlone }: { readonly isNew: (table: string) => boolean; readonly isAlone: boolean },
): readonly Harm[] => {
  const altered = ALTERED.exec(text);
  if (altered) {
    const [, table = '', actions = ''] = altered;
    return isNew(tableOf(table)) ? [] : partsOf(actions).flatMap(actionHarms);
  }
  const indexed = INDEXED.exec(text);
  if (indexed) return isNew(tableOf(indexed[3] ?? '')) ? [] : indexHarms(indexed, isAlone);
  const rows = CHANGED_ROWS.exec(text);
  if (rows)
    return isNew(tableOf(rows[1] ?? ''))
      ? []
      : [locks(`it changes rows of ${rows[1]} in one transaction`, 'Change them in batches, from the service')];
  for (const [pattern, harms] of STATEMENTS) {
    const match = pattern.exec(text);
    if (match) return harms(match, isAlone);
  }
  return [contracts(`the check does not know "${text.slice(0, 60)}"`, 'Say why it is safe')];
};

const indexHarms = ([, unique, concurrently, table]: RegExpExecArray, isAlone: boolean): readonly Harm[] => [
  ...(unique
    ? [
        contracts(
          `rows of ${table} must be unique, and the running release may write duplicates`,
          'Demand it when no release writes duplicates',
        ),
      ]
    : []),
  ...(concurrently && isAlone ? [] : [locks(`writes to ${table} wait until the index is built`, ELSEWHERE)]),
];
