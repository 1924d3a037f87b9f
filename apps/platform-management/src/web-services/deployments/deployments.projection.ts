import { Injectable } from '@nestjs/common';
import { type deployment, getDeployment, listDeployments, type ReplyOf, type RequestOf } from '@postern/contracts';
import type { RecordedEvent } from '@postern/event-sourcing';
import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { Database, type ListCursor, listCursor, unknownCursor } from '@postern/service-host';
import type { z } from 'zod';
import { reachValues } from '../../projects/reached-projects.js';
import type { Cause, DeploymentEvent, Upload } from '../services/aggregate/events.js';
import { deploymentNotFound, webServiceNotFound } from '../services/aggregate/refusals.js';
import { WebServices } from '../services/web-services.projection.js';
import { BuildQueue } from './build-queue.js';
import { type StageTimes, stagesOf } from './deployment-stages.js';
import {
  BEGIN_DEPLOYMENT,
  DELETE_DEPLOYMENTS_OF,
  DESCRIBE_COMMIT,
  END_DEPLOYMENT,
  FIND_DEPLOYMENT,
  FINISH_BUILD,
  INSERT_DEPLOYMENT,
  LIST_DEPLOYMENTS,
  ORDINAL_OF_DEPLOYMENT,
  SET_SOURCE,
} from './deployments.sql.js';
import { RuntimeAvailability } from './runtime-availability.js';

/** The error of a cancelled deployment; null if a user cancelled it. */
const CANCELLATION_ERRORS: Readonly<Record<Cause, string | null>> = {
  user: null,
  stop: 'cancelled, because the web service was stopped',
  block: 'cancelled, because the web service was blocked',
  suspend: 'cancelled, because the web service was suspended',
};

/** Deletes the deployments of a deleted web service. */
export const deleteDeploymentsOf = (webServiceId: string, tx: ProjectionTransaction): Promise<unknown> =>
  tx.query(DELETE_DEPLOYMENTS_OF(tx), [webServiceId]);

/** Applies one event to the read model of deployments. `finished_at` of a live deployment is the time it went live. */
export async function applyDeploymentEvent(
  { type, data, version }: RecordedEvent & DeploymentEvent,
  tx: ProjectionTransaction,
): Promise<unknown> {
  const { deployment_id: id, web_service_id: service, at } = data;
  if ('description' in data && data.description)
    await tx.query(DESCRIBE_COMMIT(tx), [id, data.description.subject, data.description.author]);
  const end = (status: string, error: string | null = null) => tx.query(END_DEPLOYMENT(tx), [id, status, error, at]);
  switch (type) {
    case 'platform-management.deployment-requested.v1':
      return tx.query(INSERT_DEPLOYMENT(tx), [id, service, version, data.branch, null, null, at, ...sourceOf(data)]);
    case 'platform-management.rollback-requested.v1': {
      const { branch, rollback_of } = data;
      const commit = data.upload || data.image ? null : data.commit;
      return tx.query(INSERT_DEPLOYMENT(tx), [
        id,
        service,
        version,
        branch,
        commit,
        rollback_of,
        at,
        ...sourceOf(data),
      ]);
    }
    case 'platform-management.deployment-begun.v1':
      return tx.query(BEGIN_DEPLOYMENT(tx), [id, data.stage, at]);
    case 'platform-management.deployment-source-resolved.v1':
      return tx.query(SET_SOURCE(tx), [id, data.branch, data.image ? null : data.commit, at, data.image ?? null]);
    case 'platform-management.deployment-built.v1':
      return tx.query(FINISH_BUILD(tx), [id, data.commit, at]);
    case 'platform-management.deployment-cancellation-requested.v1':
      return undefined;
    case 'platform-management.deployment-cancelled.v1':
      return end('cancelled', CANCELLATION_ERRORS[data.because]);
    case 'platform-management.deployment-failed.v1':
      return end('failed', data.reason);
    case 'platform-management.deployment-live.v1':
      return end('live');
    case 'platform-management.deployment-superseded.v1':
      return end('superseded');
    case 'platform-management.deployment-rolled-back.v1':
      return end('rolled_back');
  }
}

/** What is deployed instead of a commit. */
const sourceOf = ({ upload, image }: { readonly upload?: Upload; readonly image?: string }) => [
  upload?.digest ?? null,
  upload?.size_bytes ?? null,
  image ?? null,
];

export type DeploymentReply = z.output<typeof deployment>;

type DeploymentRow = Omit<DeploymentReply, keyof StageTimes | 'stages' | 'upload' | 'image'> &
  StageTimes & { readonly upload_bytes: number | null; readonly image: string | null };

/** Statuses of deployments that still need the runtime. */
const UNFINISHED: ReadonlySet<string> = new Set(['queued', 'building', 'releasing']);

/** The read model of deployments. */
@Injectable()
export class Deployments {
  constructor(
    private readonly database: Database,
    private readonly webServices: WebServices,
    private readonly runtime: RuntimeAvailability,
    private readonly queue: BuildQueue,
  ) {}

  /** Refuses with `web_service_not_found` or `deployment_not_found`. */
  @Handles(getDeployment)
  async get(request: RequestOf<typeof getDeployment>): Promise<ReplyOf<typeof getDeployment>> {
    await this.webServices.requireOwner(request, request.web_service_id);
    return this.require(request.web_service_id, request.deployment_id);
  }

  /** Refuses with `deployment_not_found`. */
  async require(webServiceId: string, deploymentId: string): Promise<DeploymentReply> {
    const query = { name: 'deployment', text: FIND_DEPLOYMENT, values: [deploymentId, webServiceId] };
    const { rows } = await this.database.reads.query<DeploymentRow>(query);
    if (!rows[0]) throw deploymentNotFound();
    return this.#replyOf(rows[0], await this.#positionsFor(rows));
  }

  /** Lists deployments, newest first. Refuses with `web_service_not_found`. */
  @Handles(listDeployments)
  async list(request: RequestOf<typeof listDeployments>): Promise<ReplyOf<typeof listDeployments>> {
    const { web_service_id, limit, offset } = request;
    const cursor = listCursor(request);
    const ordinal = cursor && (await this.#ordinalOf(request, cursor));
    const [below, above] = cursor?.side === 'before' ? [null, ordinal] : [ordinal ?? null, null];
    const values = [...reachValues(request), web_service_id, limit, below, above, offset];
    const { rows } = await this.database.reads.query<
      { readonly total: number } & (DeploymentRow | { readonly id: null })
    >({ name: 'deployments', text: LIST_DEPLOYMENTS, values });
    if (!rows[0]) throw webServiceNotFound();
    const found = rows.flatMap(row => (row.id === null ? [] : [row]));
    const positions = await this.#positionsFor(found);
    const items = found.map(row => this.#replyOf(row, positions));
    return { items, total: rows[0].total, limit, offset };
  }

  async #ordinalOf(request: RequestOf<typeof listDeployments>, cursor: ListCursor): Promise<number> {
    await this.webServices.requireOwner(request, request.web_service_id);
    const query = { name: 'ordinal', text: ORDINAL_OF_DEPLOYMENT, values: [cursor.id, request.web_service_id] };
    const { rows } = await this.database.reads.query<{ ordinal: number }>(query);
    if (!rows[0]) throw unknownCursor(cursor);
    return rows[0].ordinal;
  }

  /** Queries the queue only for a reply that contains a queued deployment. */
  async #positionsFor(rows: readonly DeploymentRow[]): Promise<ReadonlyMap<string, number>> {
    return rows.some(({ status }) => status === 'queued') ? this.queue.positions() : new Map();
  }

  #replyOf(row: DeploymentRow, positions: ReadonlyMap<string, number>): DeploymentReply {
    const position = row.status === 'queued' ? positions.get(row.id) : undefined;
    return {
      id: row.id,
      web_service_id: row.web_service_id,
      branch: row.branch,
      commit: row.commit,
      commit_message: row.commit_message,
      commit_author: row.commit_author,
      status: row.status,
      error: UNFINISHED.has(row.status) ? this.runtime.waitReason : row.error,
      created_at: row.created_at.toISOString(),
      started_at: row.started_at?.toISOString() ?? null,
      finished_at: row.finished_at?.toISOString() ?? null,
      stages: stagesOf(row),
      rollback_of: row.rollback_of,
      ...(row.upload_digest === null
        ? {}
        : { upload: { digest: row.upload_digest, size_bytes: row.upload_bytes ?? 0 } }),
      ...(row.image !== null && { image: row.image }),
      ...(position === undefined ? {} : { queue_position: position }),
    };
  }
}
