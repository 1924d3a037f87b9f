import { Injectable } from '@nestjs/common';
import type { deployment, webService } from '@postern/contracts';
import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import type { z } from 'zod';
import { type DeploymentEvent, WEB_SERVICE_EVENT_TYPES, type WebServiceEvent } from '../domain/web-service/events.js';
import { noSuchDeployment, noSuchService } from '../domain/web-service/refusals.js';
import { type Deployment, PrismaClient, type WebService } from '../generated/prisma/client.js';
import { applyDeploymentEvent } from './web-services-deployments.js';

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
  constructor(private readonly prisma: PrismaClient) {}

  /** Refuses with `web_service_not_found`; without a user the operator asks. */
  async get(webServiceId: string, userId?: string): Promise<WebServiceRecord> {
    const row = await this.prisma.webService.findUnique({ where: { id: webServiceId } });
    if (!row || (userId !== undefined && row.userId !== userId)) throw noSuchService();
    return recordOf(row);
  }

  async ofUser(userId: string): Promise<WebServiceRecord[]> {
    const rows = await this.prisma.webService.findMany({
      where: { userId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map(recordOf);
  }

  /** Refuses with `deployment_not_found`. */
  async deployment(webServiceId: string, deploymentId: string): Promise<DeploymentReply> {
    const row = await this.prisma.deployment.findUnique({ where: { id: deploymentId } });
    if (row?.webServiceId !== webServiceId) throw noSuchDeployment();
    return deploymentReply(row);
  }

  async deployments(webServiceId: string, { limit, offset }: { limit: number; offset: number }) {
    const where = { webServiceId };
    const [rows, total] = await Promise.all([
      this.prisma.deployment.findMany({ where, orderBy: { number: 'desc' }, take: limit, skip: offset }),
      this.prisma.deployment.count({ where }),
    ]);
    return { items: rows.map(deploymentReply), total, limit, offset };
  }
}

const recordOf = (row: WebService): WebServiceRecord => ({
  id: row.id,
  project_id: row.projectId,
  name: row.name,
  git_repository_url: row.gitRepositoryUrl,
  branch: row.branch,
  build_command: row.buildCommand,
  start_command: row.startCommand,
  health_check_path: row.healthCheckPath,
  port: row.port,
  min_instances: row.minInstances,
  max_instances: row.maxInstances,
  environment: row.environment as WebServiceRecord['environment'],
  status: row.status as WebServiceRecord['status'],
  status_reason: row.statusReason,
  blocked: row.blockedReason !== null,
  suspended: row.suspendedReason !== null,
  flag_reason: row.blockedReason ?? row.suspendedReason,
  created_at: row.createdAt.toISOString(),
});

const deploymentReply = (row: Deployment): DeploymentReply => ({
  id: row.id,
  web_service_id: row.webServiceId,
  branch: row.branch,
  commit: row.commit,
  status: row.status as DeploymentReply['status'],
  error: row.error,
  created_at: row.createdAt.toISOString(),
  started_at: row.startedAt?.toISOString() ?? null,
  finished_at: row.finishedAt?.toISOString() ?? null,
  rollback_of: row.rollbackOf,
});
