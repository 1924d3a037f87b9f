import { run } from './run.js';

/** The system identifier of a PostgreSQL cluster, which its backups and its WAL have in common. */
export const systemIdentifier = async (postgresBin: string, data: string): Promise<string> => {
  const printed = await run(`${postgresBin}/pg_controldata`, [data], { environment: { LC_ALL: 'C' } });
  const system = /^Database system identifier: *(\d+)$/m.exec(printed)?.[1];
  if (system === undefined) throw new Error(`pg_controldata printed no system identifier of ${data}.`);
  return system;
};
