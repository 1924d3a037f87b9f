/**
 * Evenly spread transaction numbers of a range, and the first event at or after each of them. The last number is the
 * end of the range, whose event is young.
 */
export const PROBE = (probes: number) => `
  SELECT n, found.txid::text AS txid, found.occurred_at >= $3 AS is_young
  FROM generate_series(1, ${probes}) AS n
  CROSS JOIN LATERAL (
    SELECT txid, occurred_at FROM event_store.events
    WHERE txid >= ($1::numeric + ceil(($2::numeric - $1::numeric) * n / ${probes}))::text::xid8
    ORDER BY events.txid, events.pos LIMIT 1
  ) AS found
  ORDER BY n`;

export const ENDS = `
  SELECT (SELECT txid::text FROM event_store.events ORDER BY events.txid, events.pos LIMIT 1) AS first,
         (SELECT txid::text FROM event_store.events ORDER BY events.txid DESC, events.pos DESC LIMIT 1) AS last`;

export const examples = { PROBE: PROBE(32) };
