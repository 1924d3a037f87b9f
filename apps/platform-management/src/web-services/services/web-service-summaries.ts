import { Injectable } from '@nestjs/common';
import type { Autoscaling } from '@postern/contracts';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import type { ReleaseSettings } from './aggregate/events.js';
import { webServiceStream } from './aggregate/web-service.js';
import { currentInstances, currentProcesses, planSettings, type ServingRelease } from './ports.js';
import { HISTORY_LENGTHS, SERVING_RELEASES, WEB_SERVICES_WITH_WORK } from './web-services.sql.js';

interface ServingRow {
  readonly web_service_id: string;
  readonly release_id: string;
  readonly artefact_reference: string;
  readonly commit: string;
  readonly configuration_id: string;
  /** Null while the read model lacks the web service. */
  readonly name: string | null;
  readonly settings: ReleaseSettings;
  readonly project_id: string;
  readonly min_instances: number;
  readonly max_instances: number;
  readonly autoscaling: Autoscaling | null;
  readonly processes: Readonly<Record<string, number>>;
  readonly status: string;
}

/** Reads the summaries that the repository writes. */
@Injectable()
export class WebServiceSummaries {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  /** Web services in a state that is not final. */
  async withWork(): Promise<readonly string[]> {
    const query = { name: 'web-services-with-work', text: WEB_SERVICES_WITH_WORK };
    const { rows } = await this.database.pool.query<{ id: string }>(query);
    return rows.map(({ id }) => id);
  }

  /** @throws while the read model lacks a serving web service, because callers must not act on a partial list. */
  async serving(): Promise<readonly ServingRelease[]> {
    const { rows } = await this.database.pool.query<ServingRow>(SERVING_RELEASES);
    return rows.map(servingRelease);
  }

  /** Returns all web services that are not yet removed. */
  async all(): Promise<readonly string[]> {
    const rows = await this.prisma.webServiceStanding.findMany({
      select: { webServiceId: true },
      orderBy: { webServiceId: 'asc' },
    });
    return rows.map(({ webServiceId }) => webServiceId);
  }

  /** Returns the number of events of each web service. */
  async historyLengths(): Promise<ReadonlyMap<string, number>> {
    const streamPrefix = webServiceStream('');
    const { rows } = await this.database.pool.query<{ id: string; version: number }>(HISTORY_LENGTHS, [streamPrefix]);
    return new Map(rows.map(({ id, version }) => [id, version]));
  }
}

function servingRelease({ name, settings, ...row }: ServingRow): ServingRelease {
  if (name === null) throw new Error(`the read model does not show the web service ${row.web_service_id} yet`);
  const plan = planSettings(settings);
  return {
    webServiceId: row.web_service_id,
    projectId: row.project_id,
    ...plan,
    processes: currentProcesses(plan.processes, row.processes),
    rollId: row.release_id,
    artefact: { reference: row.artefact_reference, commit: row.commit },
    ...currentInstances(plan, row),
    configurationId: row.configuration_id,
    answering: row.status !== 'failed',
  };
}
