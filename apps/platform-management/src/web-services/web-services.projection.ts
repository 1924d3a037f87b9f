import { Injectable } from '@nestjs/common';
import type { deployment, webService } from '@postern/contracts';
import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import type { z } from 'zod';
import { applyDeploymentEvent } from '../deployments/deployments.projection.js';
import { type DeploymentEvent, WEB_SERVICE_EVENT_TYPES, type WebServiceEvent } from './aggregate/events.js';
import { noSuchDeployment, noSuchService } from './aggregate/refusals.js';

export type WebServiceReply = z.output<typeof webService>;
export type DeploymentReply = z.output<typeof deployment>;

type Recorded = RecordedEvent & WebServiceEvent;

const apply = (event: Recorded, tx: ProjectionTransaction): Promise<unknown> | undefined => {
  const services = tx.table('web_services');
  switch (event.type) {
    case 'platform-management.web-service-created.v1': {
      const { data } = event;
      return tx.query(
        `INSERT INTO ${services} (id, user_id, project_id, name, git_repository_url, branch, build_command,
           start_command, health_check_path, port, min_instances, max_instances, environment, status, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'created', $14)`,
        [
          data.web_service_id,
          data.user_id,
          data.project_id,
          data.name,
          data.git_repository_url,
          data.branch,
          data.build_command,
          data.start_command,
          data.health_check_path,
          data.port,
          data.min_instances,
          data.max_instances,
          data.environment,
          data.at,
        ],
      );
    }
    case 'platform-management.web-service-start-requested.v1':
    case 'platform-management.web-service-restart-requested.v1':
    case 'platform-management.web-service-stop-requested.v1':
    case 'platform-management.web-service-stopped.v1':
    case 'platform-management.web-service-stop-failed.v1':
    case 'platform-management.web-service-unanswering.v1':
    case 'platform-management.web-service-answering.v1':
    case 'platform-management.release-begun.v1':
    case 'platform-management.release-served.v1':
    case 'platform-management.release-failed.v1':
    case 'platform-management.release-abandoned.v1': {
      const { web_service_id, status, status_reason } = event.data;
      return tx.query(`UPDATE ${services} SET status = $2, status_reason = $3 WHERE id = $1`, [
        web_service_id,
        status,
        status_reason,
      ]);
    }
    case 'platform-management.web-service-blocked.v1':
    case 'platform-management.web-service-unblocked.v1':
    case 'platform-management.web-service-suspended.v1':
    case 'platform-management.web-service-resumed.v1': {
      const [column, flagged] = FLAGS[event.type];
      const { web_service_id, reason } = event.data;
      return tx.query(`UPDATE ${services} SET ${column} = $2 WHERE id = $1`, [
        web_service_id,
        flagged ? (reason ?? '') : null,
      ]);
    }
    default:
      return applyDeploymentEvent(event as RecordedEvent & DeploymentEvent, tx);
  }
};

const FLAGS = {
  'platform-management.web-service-blocked.v1': ['blocked_reason', true],
  'platform-management.web-service-unblocked.v1': ['blocked_reason', false],
  'platform-management.web-service-suspended.v1': ['suspended_reason', true],
  'platform-management.web-service-resumed.v1': ['suspended_reason', false],
} as const;

/** Web services and their deployments: one projection, so that a service and what is deployed to it agree. */
export const webServices: Projection = {
  name: 'web-services',
  version: 1,
  tables: ['web_services', 'deployments'],
  eventTypes: WEB_SERVICE_EVENT_TYPES,
  apply: async (events, tx) => {
    for (const event of events) await apply(event as Recorded, tx);
  },
};

/** A web service as it is kept; where it answers is the runtime's to say. */
export type WebServiceRecord = Omit<WebServiceReply, 'url'>;

/** Web services and deployments as the API shows them. What belongs to another user does not exist. */
@Injectable()
export class WebServices {
  constructor(private readonly database: Database) {}

  /** Refuses with `web_service_not_found`; without a user the operator asks. */
  async get(webServiceId: string, userId?: string): Promise<WebServiceRecord> {
    const { rows } = await this.database.reads.query<WebServiceRow>({
      name: 'web-service',
      text: `SELECT ${WEB_SERVICE} FROM web_services WHERE id = $1 AND ($2::uuid IS NULL OR user_id = $2)`,
      values: [webServiceId, userId],
    });
    if (!rows[0]) throw noSuchService();
    return recordOf(rows[0]);
  }

  async ofUser(userId: string): Promise<WebServiceRecord[]> {
    const { rows } = await this.database.reads.query<WebServiceRow>({
      name: 'web-services-of-user',
      text: `SELECT ${WEB_SERVICE} FROM web_services WHERE user_id = $1 ORDER BY created_at, id`,
      values: [userId],
    });
    return rows.map(recordOf);
  }

  /** Refuses with `deployment_not_found`. */
  async deployment(webServiceId: string, deploymentId: string): Promise<DeploymentReply> {
    const { rows } = await this.database.reads.query<DeploymentRow>({
      name: 'deployment',
      text: `SELECT ${DEPLOYMENT} FROM deployments WHERE id = $1 AND web_service_id = $2`,
      values: [deploymentId, webServiceId],
    });
    if (!rows[0]) throw noSuchDeployment();
    return deploymentReply(rows[0]);
  }

  /** Newest first. Refuses with `web_service_not_found`. */
  async deployments(webServiceId: string, userId: string, { limit, offset }: { limit: number; offset: number }) {
    const { rows } = await this.database.reads.query<
      { readonly total: number } & (DeploymentRow | { readonly id: null })
    >({
      name: 'deployments',
      // One row for the service, even where it has no deployment, tells that it is there, and the total.
      text: `SELECT counted.total, page.* FROM web_services AS service
             CROSS JOIN LATERAL
               (SELECT count(*)::integer AS total FROM deployments WHERE web_service_id = service.id) AS counted
             LEFT JOIN LATERAL
               (SELECT ${DEPLOYMENT}, number FROM deployments WHERE web_service_id = service.id
                ORDER BY number DESC LIMIT $3 OFFSET $4) AS page ON true
             WHERE service.id = $1 AND service.user_id = $2
             ORDER BY page.number DESC`,
      values: [webServiceId, userId, limit, offset],
    });
    if (!rows[0]) throw noSuchService();
    return {
      items: rows.flatMap(row => (row.id === null ? [] : [deploymentReply(row)])),
      total: rows[0].total,
      limit,
      offset,
    };
  }
}

const WEB_SERVICE = `id, project_id, name, git_repository_url, branch, build_command, start_command, health_check_path,
  port, min_instances, max_instances, environment, status, status_reason, blocked_reason, suspended_reason, created_at`;

type WebServiceRow = Omit<WebServiceRecord, 'blocked' | 'suspended' | 'flag_reason' | 'created_at'> & {
  readonly blocked_reason: string | null;
  readonly suspended_reason: string | null;
  readonly created_at: Date;
};

const DEPLOYMENT = `id, web_service_id, branch, commit, status, error, created_at, started_at, finished_at, rollback_of`;

type DeploymentRow = Omit<DeploymentReply, 'created_at' | 'started_at' | 'finished_at'> & {
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
};

const recordOf = ({ blocked_reason, suspended_reason, created_at, ...row }: WebServiceRow): WebServiceRecord => ({
  ...row,
  blocked: blocked_reason !== null,
  suspended: suspended_reason !== null,
  flag_reason: blocked_reason ?? suspended_reason,
  created_at: created_at.toISOString(),
});

const deploymentReply = (row: DeploymentRow): DeploymentReply => ({
  id: row.id,
  web_service_id: row.web_service_id,
  branch: row.branch,
  commit: row.commit,
  status: row.status,
  error: row.error,
  created_at: row.created_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  finished_at: row.finished_at?.toISOString() ?? null,
  rollback_of: row.rollback_of,
});
