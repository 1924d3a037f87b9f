import { DiskImages } from '../sandbox/areas/disk-images.js';
import { existingNetworks } from '../sandbox/network/open-networks.js';
import { DatabaseNetworks } from './database-networks.js';
import { LocalDatabases } from './local-databases.js';

/** Shuts all databases of a platform home down cleanly and keeps their data; the platform starts them again. */
export const stopDatabases = async (platformHome: string): Promise<void> => {
  const found = await existingNetworks(platformHome);
  const networks = new DatabaseNetworks(platformHome, async () => found);
  const places = { postgresBin: undefined, valkeyBin: undefined, path: undefined };
  const images = DiskImages.whenNeeded(platformHome);
  await new LocalDatabases(platformHome, places, { networks, images }).stopAll();
};
