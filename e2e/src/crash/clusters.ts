import { afterAll } from '@jest/globals';
import {
  SERVICES_WITH_DATABASE,
  type ServiceClusters,
  type ServiceWithDatabase,
  serviceDatabaseUrl,
  startServiceClusters,
} from '@postern/testing';
import { temporaryHome } from '../temporary-home.js';
import { World } from '../world.js';
import { WITHOUT_LIMITS } from './restores.js';

export type DatabaseUrls = Readonly<Record<ServiceWithDatabase, string>>;

const urlsOf = async (clusters: ServiceClusters): Promise<DatabaseUrls> =>
  Object.fromEntries(
    SERVICES_WITH_DATABASE.map(service => [service, serviceDatabaseUrl(service, clusters[service])]),
  ) as DatabaseUrls;

/** A Postern for one test file in which each service has a PostgreSQL cluster of its own; `through` may put others in between. */
export const ownWorldWithClusters = async (
  settings: Record<string, string> = {},
  through: (clusters: ServiceClusters) => Promise<DatabaseUrls> = urlsOf,
): Promise<{ readonly world: World; readonly clusters: ServiceClusters }> => {
  const home = temporaryHome();
  const clusters = await startServiceClusters(home.folder, { settings });
  const urls = await through(clusters);
  const environmentOf = (service: ServiceWithDatabase) => ({ POSTERN_DATABASE_URL: urls[service] });
  const world = await World.start({
    environment: {
      'platform-management': environmentOf('platform-management'),
      'email-send': { ...environmentOf('email-send'), ...WITHOUT_LIMITS },
      'delivery-tracking': environmentOf('delivery-tracking'),
      'webhook-dispatch': environmentOf('webhook-dispatch'),
    },
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all(Object.values(clusters).map(server => server.stop()));
    home.remove();
  });
  return { world, clusters };
};
