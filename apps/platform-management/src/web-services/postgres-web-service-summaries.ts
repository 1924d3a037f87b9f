import type pg from 'pg';
import { webServiceStream } from './aggregate/web-service.js';
import { type ServingRelease, WebServiceStandings } from './ports.js';

interface ServingRow {
  readonly web_service_id: string;
  readonly release_id: string;
  readonly artefact_reference: string;
  readonly commit: string;
  readonly configuration_id: string;
  readonly name: string | null;
  readonly start_command: string | null;
  readonly port: number;
  readonly health_check_path: string | null;
  readonly min_instances: number;
  readonly max_instances: number;
  readonly status: string;
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
         w.name, w.start_command, w.port, w.health_check_path, w.min_instances, w.max_instances, w.status
       FROM web_service_standings s
       JOIN releases r ON r.id = s.serving_release_id
       LEFT JOIN web_services w ON w.id = s.web_service_id
       ORDER BY s.web_service_id`,
    );
    return rows.map(({ name, ...row }) => {
      if (name === null) throw new Error(`the read models do not know the web service ${row.web_service_id} yet`);
      return {
        webServiceId: row.web_service_id,
        name,
        rollId: row.release_id,
        artefact: { reference: row.artefact_reference, commit: row.commit },
        startCommand: row.start_command ?? undefined,
        port: row.port,
        healthCheckPath: row.health_check_path ?? undefined,
        minInstances: row.min_instances,
        maxInstances: row.max_instances,
        configurationId: row.configuration_id,
        answering: row.status !== 'failed',
      };
    });
  }

  override async all(): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>(
      'SELECT web_service_id AS id FROM web_service_standings ORDER BY web_service_id',
    );
    return rows.map(({ id }) => id);
  }

  /** The end of each stream is one look into an index, however long the stream. */
  override async historyLengths(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.pool.query<{ id: string; version: number }>(
      `SELECT s.web_service_id AS id, last.version FROM web_service_standings s CROSS JOIN LATERAL (
         SELECT e.version FROM event_store.events e
         WHERE e.stream_id = $1 || s.web_service_id ORDER BY e.version DESC LIMIT 1
       ) AS last`,
      [webServiceStream('')],
    );
    return new Map(rows.map(({ id, version }) => [id, version]));
  }
}
