import { LocalDatabases } from './local-databases.js';

/** Shuts all databases of a platform home down cleanly and keeps their data; the platform starts them again. */
export const stopDatabases = (platformHome: string): Promise<void> =>
  new LocalDatabases(platformHome, { postgresBin: undefined, valkeyBin: undefined, path: undefined }).stopAll();
