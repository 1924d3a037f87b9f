import { Injectable } from '@nestjs/common';
import { getWebService, listWebServices, type ReplyOf, type RequestOf, type webService } from '@postern/contracts';
import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import type { z } from 'zod';
import { ProjectOwners } from '../../projects/ports.js';
import { type Reach, reachValues } from '../../projects/reached-projects.js';
import type { DeploymentEvent, Settings, WebServiceEvent } from './aggregate/events.js';
import { webServiceNotFound } from './aggregate/refusals.js';
import { type OwnedWebService } from './ports.js';
import { WebServiceUrls } from './web-service-urls.js';
import {
  CHANGE_WEB_SERVICE,
  DELETE_WEB_SERVICE,
  FIND_BY_LAST_DIGITS,
  FIND_OWNER,
  FIND_PREVIEWS,
  FIND_WEB_SERVICE,
  INSERT_WEB_SERVICE,
  LIST_WEB_SERVICES,
  UPDATE_BLOCKED_REASON,
  UPDATE_STATUS,
  UPDATE_SUSPENDED_REASON,
} from './web-services.sql.js';

/** Applies one event to the read model of web services. */
export function applyWebServiceEvent(
  { type, data }: Exclude<WebServiceEvent, DeploymentEvent>,
  tx: ProjectionTransaction,
): Promise<unknown> {
  switch (type) {
    case 'platform-management.web-service-created.v1':
      return tx.query(INSERT_WEB_SERVICE(tx), [
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
        data.root_directory ?? null,
        JSON.stringify(data.watch_paths ?? []),
        data.health_check ? JSON.stringify(data.health_check) : null,
        data.first_byte_timeout_seconds ?? null,
        data.release_command ?? null,
        data.instance?.memory_mib ?? null,
        data.instance?.cpu_millicores ?? null,
        data.drain_seconds ?? null,
        data.previews ?? false,
        data.preview?.web_service_id ?? null,
        data.preview?.pull_request ?? null,
        data.preview?.url ?? null,
        data.image ?? null,
        data.autoscaling ? JSON.stringify(data.autoscaling) : null,
        data.dockerfile_path ?? null,
        data.docker_target ?? null,
        JSON.stringify(data.build_args ?? {}),
      ]);
    case 'platform-management.web-service-changed.v1':
      return tx.query(CHANGE_WEB_SERVICE(tx), [data.web_service_id, JSON.stringify(columnsOf(data.changes))]);
    case 'platform-management.web-service-deletion-requested.v1':
      return tx.query(DELETE_WEB_SERVICE(tx), [data.web_service_id]);
    case 'platform-management.web-service-deleted.v1':
      return Promise.resolve();
    case 'platform-management.web-service-blocked.v1':
      return tx.query(UPDATE_BLOCKED_REASON(tx), [data.web_service_id, data.reason ?? '']);
    case 'platform-management.web-service-unblocked.v1':
      return tx.query(UPDATE_BLOCKED_REASON(tx), [data.web_service_id, null]);
    case 'platform-management.web-service-suspended.v1':
      return tx.query(UPDATE_SUSPENDED_REASON(tx), [data.web_service_id, data.reason ?? '']);
    case 'platform-management.web-service-resumed.v1':
      return tx.query(UPDATE_SUSPENDED_REASON(tx), [data.web_service_id, null]);
    default:
      return tx.query(UPDATE_STATUS(tx), [data.web_service_id, data.status, data.status_reason]);
  }
}

/** Maps settings to the columns of the same names. */
function columnsOf({ instance, disk, ...changes }: Partial<Settings>): Readonly<Record<string, unknown>> {
  return {
    ...changes,
    ...(instance !== undefined && {
      instance_memory_mib: instance?.memory_mib ?? null,
      instance_cpu_millicores: instance?.cpu_millicores ?? null,
    }),
    ...(disk !== undefined && { disk_size_mib: disk?.size_mib ?? null }),
  };
}

type WebServiceReply = z.output<typeof webService>;

type WebServiceRow = Omit<
  WebServiceReply,
  'url' | 'blocked' | 'suspended' | 'flag_reason' | 'instance' | 'disk' | 'created_at'
> & {
  readonly instance_memory_mib: number | null;
  readonly instance_cpu_millicores: number | null;
  readonly disk_size_mib: number | null;
  readonly blocked_reason: string | null;
  readonly suspended_reason: string | null;
  readonly created_at: Date;
};

interface OwnerRow {
  readonly user_id: string;
  readonly project_id: string;
}

/** The read model of web services. For the caller, web services of other workspaces do not exist. */
@Injectable()
export class WebServices {
  constructor(
    private readonly database: Database,
    private readonly urls: WebServiceUrls,
    private readonly projects: ProjectOwners,
  ) {}

  /** Lists the web services that the caller can access, oldest first. */
  @Handles(listWebServices)
  async list(request: RequestOf<typeof listWebServices>): Promise<ReplyOf<typeof listWebServices>> {
    const query = { name: 'web-services', text: LIST_WEB_SERVICES, values: [...reachValues(request)] };
    const { rows } = await this.database.reads.query<WebServiceRow>(query);
    return Promise.all(rows.map(row => this.#replyOf(row)));
  }

  /** Returns a web service. Refuses with `web_service_not_found`. */
  @Handles(getWebService)
  get(request: RequestOf<typeof getWebService>): Promise<WebServiceReply> {
    return this.require(request.web_service_id, request);
  }

  /** Refuses with `web_service_not_found`. Without a caller, it finds all web services, for operators. */
  async require(webServiceId: string, caller?: Reach): Promise<WebServiceReply> {
    const query = { name: 'web-service', text: FIND_WEB_SERVICE, values: [webServiceId] };
    const [row] = (await this.database.reads.query<WebServiceRow>(query)).rows;
    if (!row || (caller && !(await this.projects.isReached(caller, row.project_id)))) throw webServiceNotFound();
    return this.#replyOf(row);
  }

  /** Returns undefined also for web services of other workspaces. */
  async find(caller: Reach, webServiceId: string): Promise<OwnedWebService | undefined> {
    const query = { name: 'web-service-owner', text: FIND_OWNER, values: [webServiceId] };
    const [row] = (await this.database.reads.query<OwnerRow>(query)).rows;
    if (!row || !(await this.projects.isReached(caller, row.project_id))) return undefined;
    return { userId: row.user_id };
  }

  /** The ids of the previews of a web service. */
  async previewsOf(webServiceId: string): Promise<readonly string[]> {
    const { rows } = await this.database.reads.query<{ id: string }>({ text: FIND_PREVIEWS, values: [webServiceId] });
    return rows.map(({ id }) => id);
  }

  /** The web services whose ids end with these eight digits. */
  async withLastDigits(digits: string): Promise<readonly { readonly id: string; readonly name: string }[]> {
    const query = { name: 'web-services-last-digits', text: FIND_BY_LAST_DIGITS, values: [digits] };
    return (await this.database.reads.query<{ id: string; name: string }>(query)).rows;
  }

  async #replyOf(found: WebServiceRow): Promise<WebServiceReply> {
    const { blocked_reason, suspended_reason, instance_memory_mib, instance_cpu_millicores, ...rest } = found;
    const { disk_size_mib, created_at, ...row } = rest;
    const instance =
      instance_memory_mib === null || instance_cpu_millicores === null
        ? null
        : { memory_mib: instance_memory_mib, cpu_millicores: instance_cpu_millicores };
    return {
      ...row,
      instance,
      disk: disk_size_mib === null ? null : { size_mib: disk_size_mib },
      blocked: blocked_reason !== null,
      suspended: suspended_reason !== null,
      flag_reason: blocked_reason ?? suspended_reason,
      created_at: created_at.toISOString(),
      url: await this.urls.of(row),
    };
  }

  /** Refuses with `web_service_not_found` unless the caller can access the web service. */
  async requireOwner(caller: Reach, webServiceId: string): Promise<OwnedWebService> {
    const found = await this.find(caller, webServiceId);
    if (!found) throw webServiceNotFound();
    return found;
  }
}
