import { LocalDatabases } from './local-databases.js';

/** Ends all databases of a platform home in order and keeps their data; the platform starts them again. */
export const stopDatabases = (platformHome: string): Promise<void> =>
  new LocalDatabases(platformHome, { postgresBin: undefined, valkeyBin: undefined, path: undefined }).stopAll();
