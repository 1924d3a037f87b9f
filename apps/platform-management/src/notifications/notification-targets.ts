import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  createNotificationTarget,
  listNotificationTargets,
  NOTIFICATION_TARGETS_PER_WORKSPACE,
  type NotificationTarget,
  Refusal,
  type ReplyOf,
  type RequestOf,
  removeNotificationTarget,
  testNotificationTarget,
} from '@postern/contracts';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { acceptEndpointUrl, InvalidEndpointUrl, OutboundGuard } from '@postern/outbound';
import { Database, KeyedSlots, KeyRing } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { WorkspaceUsage } from '../accounts/quotas/workspace-usage.js';
import { slackBody, webhookBody } from './notification-bodies.js';
import { NotificationSender, type TargetSecrets } from './notification-sender.js';
import {
  COUNT_TARGETS,
  DELETE_TARGET,
  INSERT_TARGET,
  LIST_TARGETS,
  LOCK_TARGETS,
  OPEN_TARGET,
} from './notifications.sql.js';

interface TargetRow {
  readonly id: string;
  readonly kind: NotificationTarget['kind'];
  readonly shownUrl: string;
  readonly failingSince: Date | null;
  readonly lastError: string | null;
  readonly lastDeliveredAt: Date | null;
  readonly createdAt: Date;
}

/** Where a workspace wants to be told what happens; only owners can see and change it. */
@Injectable()
export class NotificationTargets {
  /** Tests of a workspace at a time, because each can take ten seconds. */
  readonly #tests = new KeyedSlots({ running: 2, waiting: 0 });

  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly guard: OutboundGuard,
    private readonly sender: NotificationSender,
    private readonly usage: WorkspaceUsage,
  ) {}

  /** The signing secret of a webhook is returned only here. */
  @Handles(createNotificationTarget)
  async create(request: RequestOf<typeof createNotificationTarget>): Promise<ReplyOf<typeof createNotificationTarget>> {
    const { workspace_id: workspaceId, kind } = request;
    const url = await this.#accepted(request.url);
    const secret = kind === 'webhook' ? `whsec_${randomBytes(32).toString('base64')}` : null;
    const id = uuidv7();
    const sealed = this.keys.seal(JSON.stringify({ url: url.href, secret } satisfies TargetSecrets), rowOf(id));
    // Refuses a deleted workspace.
    await this.usage.hasPlaces(workspaceId, { platform_keys: 0 });
    const row = await inTransaction(this.database.pool, async client => {
      await client.query(LOCK_TARGETS, [workspaceId]);
      const { rows } = await client.query<{ count: number }>(COUNT_TARGETS, [workspaceId]);
      if ((rows[0]?.count ?? 0) >= NOTIFICATION_TARGETS_PER_WORKSPACE)
        throw new Refusal(
          'too_many_notification_targets',
          `a workspace has at most ${NOTIFICATION_TARGETS_PER_WORKSPACE} notification targets; delete one first`,
        );
      const values = [id, workspaceId, kind, shownUrlOf(kind, url), sealed];
      return (await client.query<TargetRow>(INSERT_TARGET, values)).rows[0]!;
    });
    return { ...targetReply(row), secret };
  }

  @Handles(listNotificationTargets)
  async list({
    workspace_id,
  }: RequestOf<typeof listNotificationTargets>): Promise<ReplyOf<typeof listNotificationTargets>> {
    return (await this.database.pool.query<TargetRow>(LIST_TARGETS, [workspace_id])).rows.map(targetReply);
  }

  @Handles(removeNotificationTarget)
  async remove({
    workspace_id,
    target_id: id,
  }: RequestOf<typeof removeNotificationTarget>): Promise<ReplyOf<typeof removeNotificationTarget>> {
    const { rowCount } = await this.database.pool.query(DELETE_TARGET, [workspace_id, id]);
    if (rowCount === 0) throw targetNotFound();
    return { id, deleted: true };
  }

  /** Sends a notification that is in no queue. */
  @Handles(testNotificationTarget)
  async test({
    workspace_id,
    target_id: id,
  }: RequestOf<typeof testNotificationTarget>): Promise<ReplyOf<typeof testNotificationTarget>> {
    type Row = Pick<TargetRow, 'id' | 'kind'> & { readonly sealed: string };
    const { rows } = await this.database.pool.query<Row>(OPEN_TARGET, [workspace_id, id]);
    const [row] = rows;
    if (!row) throw targetNotFound();
    const notification = {
      id: `test-${uuidv7()}`,
      event: 'test' as const,
      timestamp: new Date().toISOString(),
      workspace_id,
      resource: { type: 'workspace' as const, id: workspace_id, name: '' },
      summary: 'Test notification',
      text: 'Notifications of Postern arrive here.',
      url: null,
    };
    const body = row.kind === 'slack' ? slackBody(notification) : webhookBody(notification);
    const { error, durationMs } = await this.#tests.run(
      workspace_id,
      () => this.sender.send(row.kind, openedTarget(this.keys, row), body),
      () =>
        new Refusal('tests_in_progress', 'other tests of this workspace are in progress; try again in a few seconds'),
    );
    return { accepted: error === undefined, error: error ?? null, duration_ms: durationMs };
  }

  async #accepted(text: string): Promise<URL> {
    try {
      return await acceptEndpointUrl(text, this.guard);
    } catch (error) {
      if (error instanceof InvalidEndpointUrl) throw new Refusal('invalid_url', `url: ${error.message}`);
      throw error;
    }
  }
}

/** The secrets of a stored target. */
export const openedTarget = (keys: KeyRing, { id, sealed }: { readonly id: string; readonly sealed: string }) =>
  JSON.parse(keys.open(sealed, rowOf(id))) as TargetSecrets;

const rowOf = (id: string): string => `notification_targets/${id}`;

/** The path of a Slack URL is a secret, which allows posting to the channel; the query of any URL can have a key. */
const shownUrlOf = (kind: TargetRow['kind'], { origin, pathname, search }: URL): string =>
  kind === 'slack' ? `${origin}/…` : `${origin}${pathname}${search && '?…'}`;

const targetReply = (row: TargetRow): NotificationTarget => ({
  id: row.id,
  kind: row.kind,
  url: row.shownUrl,
  failing_since: row.failingSince?.toISOString() ?? null,
  last_error: row.lastError,
  last_delivered_at: row.lastDeliveredAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
});

const targetNotFound = (): Refusal =>
  new Refusal('notification_target_not_found', 'there is no such notification target of this workspace');
