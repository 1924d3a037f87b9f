/**
 * Appends within a larger statement, with `appendArguments`, before anything else is written. Returns `append_index` from 1
 * and `admitted`, false after a conflict, for each append.
 */
export const APPEND = 'event_store.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)';
