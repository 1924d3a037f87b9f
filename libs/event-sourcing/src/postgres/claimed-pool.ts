import type pg from 'pg';
import { currentClaim, markCarriedOut, type WriteClaim } from './claimed-writes.js';
import { inTransaction } from './transaction.js';

type Query = (...given: readonly unknown[]) => Promise<pg.QueryResult>;
type Connect = (callback?: unknown) => Promise<pg.PoolClient>;

/**
 * A pool whose transactions record that the command was carried out, if their work has a claim. Outside of claims it is
 * an ordinary pool.
 */
export const claimedPool = (pool: pg.Pool): pg.Pool => {
  const connect: Connect = pool.connect.bind(pool);
  const query = pool.query.bind(pool) as Query;
  return Object.assign(pool, {
    connect: (callback?: unknown) => {
      const claim = currentClaim();
      if (callback || !claim) return connect(callback);
      return connect().then(client => marksBeforeCommit(client, claim));
    },
    // Under a claim, a single statement needs a transaction, because it has to be committed together with the mark.
    query: (...given: readonly unknown[]) => {
      if (typeof given.at(-1) === 'function' || !currentClaim()) return query(...given);
      return inTransaction(pool, client => (client.query as Query)(...given));
    },
  });
};

const marksBeforeCommit = (client: pg.PoolClient, claim: WriteClaim): pg.PoolClient => {
  const query = client.query.bind(client) as Query;
  const release = client.release.bind(client);
  const marked: Query = async (...given) => {
    await markCarriedOut(claim, query);
    return query(...given);
  };
  return Object.assign(client, {
    query: (...given: readonly unknown[]) => (isCommit(given[0]) ? marked(...given) : query(...given)),
    release: (error?: Error | boolean) => {
      // Leaves the method of the class to the next user of the connection.
      Reflect.deleteProperty(client, 'query');
      release(error);
    },
  });
};

const isCommit = (query: unknown): boolean =>
  (typeof query === 'string' ? query : (query as { readonly text?: unknown } | null)?.text) === 'COMMIT';
