import { APPEND } from './append-call.js';

export const LOCK_STREAMS = `SELECT pg_advisory_xact_lock(key)
  FROM (SELECT DISTINCT hashtextextended(stream, 0) AS key FROM unnest($1::text[]) AS stream ORDER BY 1) AS keys`;

export const APPEND_EVENTS = `SELECT * FROM ${APPEND}`;
