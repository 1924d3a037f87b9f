import type pg from 'pg';
import { type ServingRelease, WebServiceStandings } from '../../ports/web-services.js';

interface ServingRow {
  readonly web_service_id: string;
  readonly release_id: string;
  readonly artefact_reference: string;
  readonly commit: string;
  readonly configuration_id: string;
  readonly name: string;
  readonly start_command: string | null;
  readonly port: number;
  readonly health_check_path: string | null;
  readonly min_instances: number;
  readonly max_instances: number;
}

/** The standings that the ledger writes; a service's settings come from its read model, for they never change. */
export class PostgresWebServiceStandings extends WebServiceStandings {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  override async withWork(): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>({
      name: 'web-services-with-work',
      text: 'SELECT web_service_id AS id FROM web_service_standings WHERE to_do ORDER BY web_service_id',
    });
    return rows.map(({ id }) => id);
  }

  override async serving(): Promise<readonly ServingRelease[]> {
    const { rows } = await this.pool.query<ServingRow>(
      `SELECT s.web_service_id, r.id AS release_id, r.artefact_reference, r.commit, r.configuration_id,
         w.name, w.start_command, w.port, w.health_check_path, w.min_instances, w.max_instances
       FROM web_service_standings s
       JOIN releases r ON r.id = s.serving_release_id
       JOIN web_services w ON w.id = s.web_service_id
       ORDER BY s.web_service_id`,
    );
    return rows.map(row => ({
      webServiceId: row.web_service_id,
      name: row.name,
      rollId: row.release_id,
      artefact: { reference: row.artefact_reference, commit: row.commit },
      startCommand: row.start_command ?? undefined,
      port: row.port,
      healthCheckPath: row.health_check_path ?? undefined,
      minInstances: row.min_instances,
      maxInstances: row.max_instances,
      configurationId: row.configuration_id,
    }));
  }

  override async artefactsInUse(retained: number): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ reference: string }>(
      `SELECT artefact_reference AS reference FROM deployments
       WHERE artefact_reference IS NOT NULL AND status IN ('queued', 'building', 'releasing', 'live')
       UNION SELECT artefact_reference FROM (
         SELECT artefact_reference, row_number() OVER (PARTITION BY web_service_id ORDER BY live_number DESC) AS age
         FROM deployments WHERE live_number IS NOT NULL
       ) AS once_live WHERE age <= $1 AND artefact_reference IS NOT NULL
       UNION SELECT r.artefact_reference FROM web_service_standings s JOIN releases r ON r.id = s.serving_release_id`,
      [retained],
    );
    return new Set(rows.map(({ reference }) => reference));
  }
}
