import type { Rule } from './violation.js';

/** A notification or complaint about our mail is never refused for good. */
export const reportsTaken: Rule = ({ reports }) =>
  reports.flatMap(({ kind, emailId, refusedWith }) =>
    refusedWith === null ? [] : [{ rule: 'report refused', emailId, detail: `${kind}: ${refusedWith}` }],
  );
