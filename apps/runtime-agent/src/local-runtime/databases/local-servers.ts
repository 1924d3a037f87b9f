import type { DatabaseFolders, DatabaseRecord } from './database-folder.js';
import { LocalPostgres } from './local-postgres.js';
import { LocalValkey } from './local-valkey.js';
import type { Listening } from './postgres-settings.js';
import { findValkey, type ProgramPlaces, VALKEY_MISSING } from './programs.js';
import type { ServerCertificates } from './server-certificates.js';
import type { ServerSandboxes } from './server-sandbox.js';

/** The servers of each kind of database, whose data are in `folders`. */
export const serversIn = (
  folders: DatabaseFolders,
  places: ProgramPlaces,
  sandboxes: ServerSandboxes,
  certificates: ServerCertificates,
  listening: (record: DatabaseRecord) => Listening | undefined,
) => ({
  relational: new LocalPostgres(folders, places, sandboxes, certificates, listening),
  key_value: new LocalValkey(folders, () => findValkey(places) ?? raise(VALKEY_MISSING), sandboxes, listening),
});

export type LocalServers = ReturnType<typeof serversIn>;

const raise = (message: string): never => {
  throw new Error(message);
};
