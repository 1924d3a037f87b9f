import { PrismaPg } from '@prisma/adapter-pg';

export type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

/**
 * PrismaPg splits a script at every semicolon, even in comments and function bodies. This adapter sends it as a whole,
 * so that PostgreSQL parses it and applies a migration completely or not at all.
 */
export class ScriptAdapter extends PrismaPg {
  override async connect(): Promise<Adapter> {
    return runsWholeScripts(await super.connect());
  }
}

export const runsWholeScripts = (adapter: Adapter): Adapter => {
  const pool = adapter.underlyingDriver();
  const { onError } = adapter as unknown as { onError(error: unknown): never };
  adapter.executeScript = async script => {
    await pool.query(script).catch(error => onError.call(adapter, error));
  };
  return adapter;
};
