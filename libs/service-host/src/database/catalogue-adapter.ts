import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import { type Adapter, runsWholeScripts } from './script-adapter.js';

/** OIDs of PostgreSQL's type `"char"`, used only in its system catalog, and of `text`, as which it can be read. */
const CATALOGUE_CHAR = 18;
const TEXT = 25;

/**
 * PrismaPg for development that can read the system catalog, as required to compare schemas (prisma/orm#27403: the
 * adapter does not support `"char"`), and that uses the given database as the engine's scratch database.
 */
export class CatalogueAdapter extends PrismaPg {
  constructor(
    serverUrl: string,
    private readonly scratchUrl: string,
  ) {
    super(poolOf(serverUrl));
  }

  override async connect(): Promise<Adapter> {
    return runsWholeScripts(readable(await super.connect()));
  }

  override async connectToShadowDb(): Promise<Adapter> {
    return runsWholeScripts(readable(await new PrismaPg(poolOf(this.scratchUrl)).connect()));
  }
}

/** The engine does not close its connections; they must not keep the process alive. */
const poolOf = (connectionString: string) => ({ connectionString, allowExitOnIdle: true });

type Query = (...parameters: unknown[]) => Promise<{ fields: { dataTypeID: number }[] }>;

/** The engine sends one query at a time, so the recorded columns belong to the current result. */
const readable = (adapter: Adapter): Adapter => {
  let characters: number[] = [];
  const pool = adapter.underlyingDriver();
  const query = pool.query.bind(pool) as unknown as Query;
  const reading: Query = async (...parameters) => {
    const result = await query(...parameters);
    const fields = result.fields ?? [];
    characters = fields.flatMap((field, index) => (field.dataTypeID === CATALOGUE_CHAR ? [index] : []));
    for (const index of characters) fields[index]!.dataTypeID = TEXT;
    return result;
  };
  Object.assign(pool, { query: reading });
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async sql => {
    const answer = await queryRaw(sql);
    for (const index of characters) answer.columnTypes[index] = ColumnTypeEnum.Character;
    return answer;
  };
  return adapter;
};
