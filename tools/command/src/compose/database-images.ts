/** The database of an official image. */
export interface DatabaseImage {
  readonly kind: 'relational' | 'key_value';
  readonly technology: string;
  /** The major version of PostgreSQL that the tag names. */
  readonly version?: string;
  readonly extension?: string;
}

const KEY_VALUE = { kind: 'key_value', technology: 'key-value store' } as const;
const POSTGRESQL = { kind: 'relational', technology: 'PostgreSQL database' } as const;

const KNOWN: Readonly<Record<string, { readonly found: DatabaseImage; readonly version?: RegExp }>> = {
  postgres: { found: POSTGRESQL, version: /^(\d+)(?:[.-]|$)/ },
  'pgvector/pgvector': { found: { ...POSTGRESQL, extension: 'vector' }, version: /(?:^|-)pg(\d+)/ },
  'postgis/postgis': { found: { ...POSTGRESQL, extension: 'postgis' }, version: /^(\d+)-/ },
  redis: { found: KEY_VALUE },
  'valkey/valkey': { found: KEY_VALUE },
};

const UNSUPPORTED = new Set(['mysql', 'mariadb', 'mysql/mysql-server', 'percona', 'mongo']);

const partsOf = (image: string) => {
  const [, repository = '', tag = ''] =
    /^(?:(?:index\.)?docker\.io\/)?(?:library\/)?([^:@]+)(?::([^@]+))?/.exec(image) ?? [];
  return { repository, tag };
};

/** The database that an image is, if Postern has its kind. */
export const databaseOfImage = (image: string): DatabaseImage | undefined => {
  const { repository, tag } = partsOf(image);
  const known = Object.hasOwn(KNOWN, repository) ? KNOWN[repository] : undefined;
  const version = known?.version?.exec(tag)?.[1];
  return known && { ...known.found, ...(version !== undefined && { version }) };
};

/** Whether an image is a database of a kind that Postern does not have. */
export const isUnsupportedDatabase = (image: string): boolean => UNSUPPORTED.has(partsOf(image).repository);
