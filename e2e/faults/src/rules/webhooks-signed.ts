import type { Rule } from './violation.js';

/** Every call carries the signature that the specification asks a receiver to compute. */
export const webhooksSigned: Rule = ({ calls }) =>
  calls.flatMap(({ unsigned, event, emailId }) =>
    unsigned === null ? [] : [{ rule: 'unsigned', emailId, detail: `${event}: ${unsigned}` }],
  );
