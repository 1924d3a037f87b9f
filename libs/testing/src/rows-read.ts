import type pg from 'pg';

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The rows that the scans of a plan have read, those that a filter removed included. */
const rowsOf = (node: PlanNode): number => {
  const inner = (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan), 0);
  if (node['Relation Name'] === undefined && node['Index Name'] === undefined) return inner;
  const each =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return inner + each * (node['Actual Loops'] ?? 1);
};

const READS = /^\s*(SELECT|WITH)\b/;
const CHANGES = /\b(INSERT INTO|UPDATE|DELETE FROM)\b/;

/** Counts the rows that queries of a pool read, with EXPLAIN ANALYZE before each. */
export class RowsRead {
  #rows = 0;

  /** Counts from now on, for new connections of the pool. */
  constructor(pool: pg.Pool) {
    pool.on('connect', client => this.#observe(client as pg.Client));
  }

  /** Rows read by the queries that `work` awaits. */
  async by(work: () => Promise<unknown>): Promise<number> {
    this.#rows = 0;
    await work();
    return this.#rows;
  }

  #observe(client: pg.Client): void {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    // Executing a changing statement twice would change what it does.
    const explain = async (given: unknown, values: unknown): Promise<void> => {
      const { text, values: own } = typeof given === 'string' ? { text: given, values } : (given as pg.QueryConfig);
      if (CHANGES.test(text)) return;
      const parameters = (own ?? values) as unknown[] | undefined;
      const { rows } = (await query({
        text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
        ...(Array.isArray(parameters) && { values: parameters }),
      })) as pg.QueryResult<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>;
      this.#rows += rows[0]?.['QUERY PLAN'].reduce((sum, { Plan }) => sum + rowsOf(Plan), 0) ?? 0;
    };
    const observed = (...given: unknown[]): unknown => {
      const text = typeof given[0] === 'string' ? given[0] : (given[0] as { text?: string }).text;
      // Prisma and commands of transactions are passed on in their order.
      if (text === undefined || !READS.test(text)) return query(...given);
      return explain(given[0], given[1]).then(() => query(...given));
    };
    Object.assign(client, { query: observed });
  }
}
