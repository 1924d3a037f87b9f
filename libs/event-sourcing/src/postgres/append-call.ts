/**
 * The call that appends, for statements that write more than events. Its parameters are `appendArguments`. It
 * returns one row per append: `append_index` from 1, and `admitted`, which is false after a conflict. Nothing may be
 * written before it runs.
 */
export const APPEND = 'event_store.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)';
