import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import { type Adapter, runsWholeScripts } from './script-adapter.js';

/** The type `"char"` of PostgreSQL, used only in its catalogue; and `text`, as which it can be read. */
const CATALOGUE_CHAR = 18;
const TEXT = 25;

/**
 * PrismaPg for development that can read the system catalogue, which comparing schemas needs (prisma/orm#27403: the
 * adapter does not know `"char"`), and that uses the given database as the scratch database of the engine.
 */
export class CatalogueAdapter extends PrismaPg {
  constructor(
    serverUrl: string,
    private readonly scratchUrl: string,
  ) {
    super({ connectionString: serverUrl });
  }

  override async connect(): Promise<Adapter> {
    return runsWholeScripts(readable(await super.connect()));
  }

  override async connectToShadowDb(): Promise<Adapter> {
    return runsWholeScripts(readable(await new PrismaPg({ connectionString: this.scratchUrl }).connect()));
  }
}

type Query = (...parameters: unknown[]) => Promise<{ fields: { dataTypeID: number }[] }>;

/** The engine sends one query at a time, so the last columns belong to the present result. */
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
