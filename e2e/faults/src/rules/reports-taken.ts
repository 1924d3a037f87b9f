import type { Rule } from './violation.js';

/** Postern never permanently refuses a notification or complaint about its own mail. */
export const reportsTaken: Rule = ({ reports }) =>
  reports.flatMap(({ kind, emailId, refusedWith }) =>
    refusedWith === null ? [] : [{ rule: 'report refused', emailId, detail: `${kind}: ${refusedWith}` }],
  );
