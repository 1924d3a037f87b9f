import { Injectable } from '@nestjs/common';
import {
  type emailService,
  findEmailServices,
  getEmailService,
  listEmailServices,
  Refusal,
  type ReplyOf,
  type RequestOf,
} from '@postern/contracts';
import type { ProjectionTables } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { likeText } from '@postern/service-host';
import { validate as isUuid } from 'uuid';
import type { z } from 'zod';
import type { DailyQuotaChange, EmailService } from '../generated/prisma/client.js';
import { PrismaClient } from '../generated/prisma/client.js';
import type { ReadModel } from '../infrastructure/postgres/read-model.js';
import { dayStart } from './email-limits.js';
import { EMAIL_SERVICE_EVENT_TYPES, type EmailServiceEvent } from './email-service-state.js';
import { LimitDefaults } from './limit-defaults.js';
import { type DefaultLimits, limitsOf, type ServiceLimits } from './service-limits.js';

const set =
  (column: string) =>
  ({ table }: ProjectionTables) =>
    `UPDATE ${table('email_services')} SET ${column} = $2 WHERE id = $1`;

/** Adds a service in sandbox mode. */
export const INSERT_SERVICE = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('email_services')} (id, workspace_id, name, mode, enabled, open_tracking, click_tracking, suppression,
    limits, created_at)
  VALUES ($1, $2, $3, 'sandbox', true, true, false, false, '{}', $4)`;

export const SET_NAME = set('name');
export const SET_ENABLED = set('enabled');
export const SET_OPEN_TRACKING = set('open_tracking');
export const SET_CLICK_TRACKING = set('click_tracking');
export const SET_SUPPRESSION = set('suppression');
export const SET_LIMITS = set('limits');
export const SET_DAILY_QUOTA = set('daily_quota');

/** Deletes a service and its quota history from the projection. */
export const DELETE_SERVICE = ({ table }: ProjectionTables) => `
  WITH quotas AS (DELETE FROM ${table('daily_quota_changes')} WHERE service_id = $1),
  keys AS (DELETE FROM ${table('api_keys')} WHERE service_id = $1),
  domains AS (DELETE FROM ${table('sending_domains')} WHERE service_id = $1),
  recipients AS (DELETE FROM ${table('verified_recipients')} WHERE service_id = $1)
  DELETE FROM ${table('email_services')} WHERE id = $1`;

/** Moves a service to production. */
export const MOVE_TO_PRODUCTION = ({ table }: ProjectionTables) =>
  `UPDATE ${table('email_services')} SET mode = 'production', daily_quota = $2 WHERE id = $1`;

/** Records a change of the daily quota; several changes on one day are shown as one. */
export const INSERT_QUOTA_CHANGE = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('daily_quota_changes')} (service_id, day, at, "from", "to", reason)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (service_id, day) DO UPDATE SET at = excluded.at, "to" = excluded."to", reason = excluded.reason`;

type EmailServiceReply = z.output<typeof emailService>;

/** Quota changes in a reply, newest first. */
const SHOWN_CHANGES = 50;

/** The sending domains of which a search finds the services. */
const MATCHED_DOMAINS = 1_000;

/** Email services and the history of their quotas. */
export const emailServices: ReadModel<EmailServiceEvent> = {
  tables: ['email_services', 'daily_quota_changes'],
  eventTypes: EMAIL_SERVICE_EVENT_TYPES,

  apply: async (event, tx) => {
    const { service_id } = event.data;
    switch (event.type) {
      case 'email-send.email-service-created.v1': {
        const { workspace_id, name, at } = event.data;
        return tx.query(INSERT_SERVICE(tx), [service_id, workspace_id, name, at]);
      }
      case 'email-send.email-service-deleted.v1':
        return tx.query(DELETE_SERVICE(tx), [service_id]);
      case 'email-send.email-service-renamed.v1':
        return tx.query(SET_NAME(tx), [service_id, event.data.name]);
      case 'email-send.email-service-enabled.v1':
        return tx.query(SET_ENABLED(tx), [service_id, true]);
      case 'email-send.email-service-disabled.v1':
        return tx.query(SET_ENABLED(tx), [service_id, false]);
      case 'email-send.email-service-switch-turned.v1':
        return tx.query(SET_SWITCH[event.data.switch](tx), [service_id, event.data.on]);
      case 'email-send.email-service-limits-set.v1':
        return tx.query(SET_LIMITS(tx), [service_id, JSON.stringify(event.data.limits)]);
      case 'email-send.email-service-moved-to-production.v1':
        return tx.query(MOVE_TO_PRODUCTION(tx), [service_id, event.data.daily_quota]);
      case 'email-send.daily-quota-changed.v1': {
        const { day, at, from, to, reason } = event.data;
        await tx.query(SET_DAILY_QUOTA(tx), [service_id, to]);
        return tx.query(INSERT_QUOTA_CHANGE(tx), [service_id, day, at, from, to, reason]);
      }
    }
  },
};

const SET_SWITCH = {
  open_tracking: SET_OPEN_TRACKING,
  click_tracking: SET_CLICK_TRACKING,
  suppression: SET_SUPPRESSION,
};

/** Email services as the dashboard and the operator see them. */
@Injectable()
export class EmailServices {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly defaults: LimitDefaults,
  ) {}

  /**
   * Refuses with `service_not_found`, also for a service of another workspace. Requests of the operator contain no
   * workspace.
   */
  @Handles(getEmailService)
  async get(request: { service_id: string; workspace_id?: string | undefined }): Promise<EmailServiceReply> {
    const { service_id, workspace_id } = request;
    const row = await this.prisma.emailService.findUnique({ where: { id: service_id } });
    if (!row || (workspace_id !== undefined && row.workspaceId !== workspace_id)) {
      throw new Refusal('service_not_found', 'there is no such email service');
    }
    const [reply] = await this.#replies([row]);
    return reply!;
  }

  /** All services of a workspace, oldest first. */
  @Handles(listEmailServices)
  async list({ workspace_id }: RequestOf<typeof listEmailServices>): Promise<EmailServiceReply[]> {
    return this.#replies(
      await this.prisma.emailService.findMany({
        where: { workspaceId: workspace_id },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      }),
    );
  }

  /** Services of all workspaces for an operator, newest first. */
  @Handles(findEmailServices)
  async findAll(request: RequestOf<typeof findEmailServices>): Promise<ReplyOf<typeof findEmailServices>> {
    const { search, limit, offset } = request;
    const where = search === '' ? {} : await this.#matching(search);
    const [total, rows] = await Promise.all([
      this.prisma.emailService.count({ where }),
      this.prisma.emailService.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit,
        skip: offset,
      }),
    ]);
    const shown = await this.prisma.sendingDomain.findMany({
      where: { serviceId: { in: rows.map(({ id }) => id) } },
      select: { serviceId: true, domain: true },
      orderBy: { domain: 'asc' },
    });
    const items = (await this.#replies(rows)).map(reply => ({
      ...reply,
      domains: shown.filter(({ serviceId }) => serviceId === reply.id).map(({ domain }) => domain),
    }));
    return { items, total, limit, offset };
  }

  async #matching(search: string) {
    const contains = likeText(search);
    const domains = await this.prisma.sendingDomain.findMany({
      where: { domain: { contains: contains.toLowerCase() } },
      select: { serviceId: true },
      take: MATCHED_DOMAINS,
    });
    return {
      OR: [
        { name: { contains, mode: 'insensitive' as const } },
        { id: { in: domains.map(({ serviceId }) => serviceId) } },
        ...(isUuid(search) ? [{ id: search }, { workspaceId: search }] : []),
      ],
    };
  }

  /** The name and the workspace of a service; undefined once it is deleted. */
  async ownedBy(serviceId: string): Promise<{ readonly name: string; readonly workspaceId: string } | undefined> {
    const select = { name: true, workspaceId: true };
    return (await this.prisma.emailService.findUnique({ where: { id: serviceId }, select })) ?? undefined;
  }

  /** The number of services of a workspace. */
  countOf(workspaceId: string): Promise<number> {
    return this.prisma.emailService.count({ where: { workspaceId } });
  }

  async #replies(rows: readonly EmailService[]): Promise<EmailServiceReply[]> {
    const ids = rows.map(({ id }) => id);
    const [sent, changes] = await Promise.all([
      this.prisma.sendingUsage.findMany({
        where: { serviceId: { in: ids }, period: 'day', startsAt: new Date(dayStart(new Date())) },
      }),
      this.prisma.dailyQuotaChange.findMany({ where: { serviceId: { in: ids } }, orderBy: { day: 'desc' } }),
    ]);
    return rows.map(row =>
      replyOf(
        row,
        sent.find(({ serviceId }) => serviceId === row.id)?.used ?? 0,
        changes.filter(({ serviceId }) => serviceId === row.id),
        this.defaults,
      ),
    );
  }
}

function replyOf(
  row: EmailService,
  sentToday: number,
  changes: readonly DailyQuotaChange[],
  defaults: DefaultLimits,
): EmailServiceReply {
  const mode = row.mode as EmailServiceReply['mode'];
  const limits = row.limits as ServiceLimits;
  const { daily, perMinute } = limitsOf({ mode, limits, dailyQuota: row.dailyQuota ?? undefined }, defaults);
  return {
    id: row.id,
    workspace_id: row.workspaceId,
    name: row.name,
    mode,
    enabled: row.enabled,
    open_tracking: row.openTracking,
    click_tracking: row.clickTracking,
    suppression: row.suppression,
    daily_limit: daily,
    per_minute_limit: perMinute,
    sent_today: sentToday,
    quota_history: changes
      .slice(0, SHOWN_CHANGES)
      .map(({ at, from, to, reason }) => ({ at: at.toISOString(), from, to, reason })),
    created_at: row.createdAt.toISOString(),
  };
}
