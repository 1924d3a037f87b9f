const USED = ['cpu_millicores', 'cpu_percent', 'memory_bytes', 'memory_percent', 'instances'] as const;
/** Null where they are not counted. */
const COUNTED = ['requests', 'server_errors', 'response_ms'] as const;
const AVERAGED = [...USED, ...COUNTED] as const;

/** One point of a history. */
export interface HistoryRow
  extends Record<(typeof USED)[number], number>,
    Record<(typeof COUNTED)[number], number | null> {
  readonly at: Date;
}

const COLUMNS = AVERAGED.join(', ');
/** Averages rows weighted by their numbers of measurements. */
const WEIGHTED = AVERAGED.map(
  name => `sum(${name} * measurements) / sum(measurements) FILTER (WHERE ${name} IS NOT NULL) AS ${name}`,
).join(', ');

/** The row lock blocks the deletion of these web services, so that a deletion removes every metric row. */
const keptOf = (ids: string) =>
  `WITH kept AS (SELECT web_service_id AS id FROM web_service_standings WHERE web_service_id = ${ids} FOR KEY SHARE)`;

export const RECORD_MEASUREMENTS = `
  ${keptOf('ANY ($2)')}
  INSERT INTO metric_samples AS known (web_service_id, at, measurements, ${COLUMNS})
  SELECT id, $1::timestamptz, 1, ${COLUMNS}
  FROM unnest($2::uuid[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[],
    $8::float8[], $9::float8[], $10::float8[]) AS new(id, ${COLUMNS})
  JOIN kept USING (id)
  ON CONFLICT (web_service_id, at) DO UPDATE SET measurements = known.measurements + 1,
    ${AVERAGED.map(name => `${name} = (known.${name} * known.measurements + excluded.${name}) / (known.measurements + 1)`).join(', ')}`;

const NOT_ROLLED_UP = `at >= coalesce((SELECT max(at) FROM metric_minutes), '-infinity') - interval '2 minutes'
    AND at < date_trunc('minute', $1::timestamptz)`;

/** Recalculates the newest minutes too, because late samples may have been added to them. */
export const ROLL_UP = `
  ${keptOf(`ANY (SELECT web_service_id FROM metric_samples WHERE ${NOT_ROLLED_UP})`)}
  INSERT INTO metric_minutes (web_service_id, at, measurements, ${COLUMNS})
  SELECT web_service_id, date_trunc('minute', at), sum(measurements), ${WEIGHTED}
  FROM metric_samples JOIN kept ON id = web_service_id
  WHERE ${NOT_ROLLED_UP}
  GROUP BY 1, 2
  ON CONFLICT (web_service_id, at) DO UPDATE SET measurements = excluded.measurements,
    ${AVERAGED.map(name => `${name} = excluded.${name}`).join(', ')}`;

const binned = (source: string) => `
  SELECT date_bin(make_interval(secs => $3), at, 'epoch') AS at, ${WEIGHTED}
  FROM (${source}) AS measured WHERE measurements > 0 GROUP BY 1 ORDER BY 1`;

export const HISTORY_OF_SAMPLES = binned(`SELECT * FROM metric_samples WHERE web_service_id = $1 AND at >= $2`);

/** Minutes, and samples of the minutes that are not rolled up yet. */
export const HISTORY_OF_MINUTES = binned(`
  SELECT * FROM metric_minutes WHERE web_service_id = $1 AND at >= $2
  UNION ALL
  SELECT * FROM metric_samples WHERE web_service_id = $1 AND at >= greatest($2,
    (SELECT max(at) + interval '1 minute' FROM metric_minutes WHERE web_service_id = $1))`);
