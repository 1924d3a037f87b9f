import { groupBy } from './evidence.js';
import type { Rule } from './violation.js';

/** No copy reaches the relay twice, whether as the same message or as two messages of one request. */
export const nothingDoubled: Rule = ({ taken }) =>
  [...groupBy(taken, ({ recipient }) => recipient)].flatMap(([recipient, copies]) => {
    if (copies.length < 2) return [];
    const [first] = copies;
    const ids = new Set(copies.map(({ emailId }) => emailId));
    return [
      {
        rule: ids.size === copies.length ? 'doubled by an obedient client' : 'doubled by Postern',
        marker: first?.marker,
        emailId: first?.emailId,
        detail: `${copies.length} copies for ${recipient} as ${[...ids].join(', ')}`,
      },
    ];
  });
