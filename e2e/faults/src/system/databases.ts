import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningPostern, restartOnExit } from '@postern/local-start';
import {
  backUpPostgres,
  restorePostgres,
  SERVICES_WITH_DATABASE,
  type ServiceClusters,
  type ServiceWithDatabase,
  serviceDatabaseUrl,
  startServiceClusters,
} from '@postern/testing';

type OfEach<Value> = Readonly<Record<ServiceWithDatabase, Value>>;

/** A PostgreSQL cluster for each service, instead of the one of the local start. */
export class Databases {
  private constructor(
    private readonly folder: string,
    private readonly clusters: ServiceClusters,
    private readonly undo: readonly (() => Promise<void>)[],
  ) {}

  /** In the home, so that they share its disk. */
  static async start(home: string): Promise<Databases> {
    const folder = join(home, 'clusters');
    const clusters = await startServiceClusters(folder, { settings: { jit: 'off', max_connections: '100' } });
    const undo = Object.entries(clusters).map(([name, server]) =>
      restartOnExit(server, { name, log: () => undefined }),
    );
    return new Databases(folder, clusters, undo);
  }

  get urls(): OfEach<string> {
    return this.ofEach(service => serviceDatabaseUrl(service, this.clusters[service]));
  }

  get ports(): OfEach<number> {
    return this.ofEach(service => this.clusters[service].state.options.port);
  }

  /** The postmasters; the one of the local start is idle. */
  processes(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      SERVICES_WITH_DATABASE.map(service => [`postgres ${service}`, this.clusters[service].pid] as const),
    );
  }

  async backUp(services: readonly ServiceWithDatabase[]): Promise<void> {
    for (const service of services) {
      await rm(this.backupOf(service), { recursive: true, force: true });
      await backUpPostgres(this.clusters[service], this.backupOf(service));
    }
  }

  /** Stops the services, as the documentation says, and nothing else. */
  async restore({ services: processes }: RunningPostern, services: readonly ServiceWithDatabase[]): Promise<void> {
    for (const service of services) await processes.get(service)?.stop();
    for (const service of services) await restorePostgres(this.clusters[service], this.backupOf(service));
    for (const service of services) await processes.get(service)?.start();
  }

  async stop(): Promise<void> {
    for (const step of this.undo) await step();
    await Promise.all(Object.values(this.clusters).map(server => server.stop()));
  }

  private backupOf(service: ServiceWithDatabase): string {
    return join(this.folder, `${service}.backup`);
  }

  private ofEach<Value>(make: (service: ServiceWithDatabase) => Value): OfEach<Value> {
    return Object.fromEntries(
      SERVICES_WITH_DATABASE.map(service => [service, make(service)]),
    ) as unknown as OfEach<Value>;
  }
}
