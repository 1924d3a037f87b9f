/**
 * The call that appends, for a statement that writes more than events: it takes the first ten parameters, which are
 * `appendArguments`. Its rows tell of each append by `append_index`, from 1, whether it was `admitted`; one that was not
 * met a conflict. In a statement by itself, nothing else must be written before it runs.
 */
export const APPEND = 'event_store.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)';
