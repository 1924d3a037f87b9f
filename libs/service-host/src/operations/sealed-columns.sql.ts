import type { SealedColumn } from './sealed-columns.js';

type Names = Pick<SealedColumn, 'table' | 'id' | 'column' | 'keyColumn' | 'bytes'>;

/** At most `$2` values of other keys than `$1`, after the row `$3`, in a table without a key column. */
export const selectOfOtherKeys = ({ table, id, column }: Names) =>
  `SELECT ${id} AS id, '' AS key_id, ${column} AS sealed FROM ${table}
   WHERE ${column} IS NOT NULL AND NOT starts_with(${column}, $1 || ':')
     AND ($3::uuid IS NULL OR ${id} > $3) AND $4::text IS NOT NULL
   ORDER BY ${id} LIMIT $2 FOR UPDATE SKIP LOCKED`;

/** Same with a key column: one side of `$1`, which is a range of the index, after the key `$4` and the row `$3`. */
export const selectByKey = ({ table, id, column, keyColumn }: Names, side: '<' | '>') =>
  `SELECT ${id} AS id, ${keyColumn} AS key_id, ${column} AS sealed FROM ${table}
   WHERE ${keyColumn} ${side} $1 AND ${column} IS NOT NULL AND ($3::uuid IS NULL OR (${keyColumn}, ${id}) > ($4::text, $3))
   ORDER BY ${keyColumn}, ${id} LIMIT $2 FOR UPDATE SKIP LOCKED`;

/** The number of values of each key. */
export const countByKey = ({ table, column, keyColumn }: Names) =>
  keyColumn === undefined
    ? `SELECT substring(${column} FROM '^(.*):') AS key_id, count(*) AS values FROM ${table}
       WHERE ${column} IS NOT NULL GROUP BY 1 ORDER BY 1`
    : `SELECT ${keyColumn} AS key_id, count(*) AS values FROM ${table}
       WHERE ${column} IS NOT NULL GROUP BY 1 ORDER BY 1`;

/** Replaces the values of the rows `$1` with `$2`, and in a table with a key column also the key with `$3`. */
export const updateSealed = ({ table, id, column, keyColumn, bytes }: Names) =>
  `UPDATE ${table} SET ${column} = fresh.sealed ${keyColumn === undefined ? '' : `, ${keyColumn} = $3`}
   FROM unnest($1::uuid[], $2::${bytes ? 'bytea' : 'text'}[]) AS fresh (id, sealed) WHERE ${table}.${id} = fresh.id`;

const byId = { table: 'sealed', id: 'id', column: 'value' };
const byKey = { ...byId, keyColumn: 'key_id' };

export const examples = {
  selectOfOtherKeys: selectOfOtherKeys(byId),
  selectByKey: selectByKey(byKey, '<'),
  countByKey: countByKey(byId),
  countOfKeyColumn: countByKey(byKey),
  updateSealed: updateSealed(byId),
  updateSealedAndKey: updateSealed(byKey),
};
