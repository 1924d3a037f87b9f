import type { Rule } from './violation.js';

/** Every call has the signature that the specification defines. */
export const webhooksSigned: Rule = ({ calls }) =>
  calls.flatMap(({ unsigned, event, emailId }) =>
    unsigned === null ? [] : [{ rule: 'unsigned', emailId, detail: `${event}: ${unsigned}` }],
  );
