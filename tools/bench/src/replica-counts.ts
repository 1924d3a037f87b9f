import type { ReplicaSet, ReplicatedService, RunningPostern } from '@postern/local-start';
import { connectNats } from '@postern/messaging';
import pg from 'pg';

/** Publishes and subscribes everywhere, to count what others publish. */
export const OBSERVER = { user: 'bench', password: 'bench-observer' };

/** What the servers have counted since their start. */
export interface ServerCounts {
  readonly transactions: number;
  readonly rows: number;
  readonly walBytes: number;
  readonly connections: number;
}

const COUNTS = `
  SELECT sum(xact_commit + xact_rollback)::float8 AS transactions,
    sum(tup_inserted + tup_updated + tup_deleted)::float8 AS rows,
    (pg_current_wal_insert_lsn() - '0/0')::float8 AS "walBytes",
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections
  FROM pg_stat_database WHERE datname <> 'postgres'`;

export const serverCounts = async ({ postgres }: RunningPostern): Promise<ServerCounts> => {
  const client = new pg.Client({ connectionString: postgres.url() });
  await client.connect();
  try {
    return (await client.query<ServerCounts>(COUNTS)).rows[0] as ServerCounts;
  } finally {
    await client.end();
  }
};

/** The number of messages that are published on NATS during `work`, also replies. */
export const natsMessagesDuring = async ({ wiring }: RunningPostern, work: () => Promise<unknown>): Promise<number> => {
  const link = await connectNats({
    servers: wiring.natsUrl,
    name: 'bench',
    tls: { caFile: wiring.natsCaFile },
    ...OBSERVER,
  });
  let messages = 0;
  try {
    const subscription = link.subscribe('>', () => messages++);
    await link.roundTrip(5_000);
    await work();
    await link.roundTrip(5_000);
    subscription.unsubscribe();
  } finally {
    await link.close();
  }
  return messages;
};

/** Work of one replica: what it handled, by the metric that counts it. */
export type Work = Readonly<Record<string, number>>;

const METRICS: Readonly<Record<ReplicatedService, readonly string[]>> = {
  'api-gateway': ['http_server_request_duration_count'],
  'email-send': ['rpc_server_duration_count'],
  'delivery-tracking': ['postern_tracking_reports_received_total', 'messaging_process_duration_count'],
  'webhook-dispatch': ['postern_webhooks_attempt_duration_count', 'messaging_process_duration_count'],
  'platform-management': ['rpc_server_duration_count'],
};

/** The sum of each metric of a replica. */
const workOf = async (port: number, token: string, metrics: readonly string[]): Promise<Work> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const lines = (await response.text()).split('\n');
  const total = (metric: string) =>
    lines
      .filter(line => line.startsWith(`${metric}{`))
      .reduce(
        (sum, line) =>
          sum +
          Number(
            line
              .slice(line.lastIndexOf('}') + 1)
              .trim()
              .split(' ')[0],
          ),
        0,
      );
  return Object.fromEntries(metrics.map(metric => [metric, total(metric)]));
};

/** The work of each replica of each service since its start. */
export const workOfReplicas = async (
  { metricsToken }: RunningPostern,
  { processes }: ReplicaSet,
): Promise<ReadonlyMap<ReplicatedService, readonly Work[]>> =>
  new Map(
    await Promise.all(
      [...processes].map(async ([service, replicas]) => {
        const work = replicas.map(({ httpPort }) => workOf(httpPort ?? 0, metricsToken, METRICS[service]));
        return [service, await Promise.all(work)] as const;
      }),
    ),
  );
