import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type NotificationTarget, notifyWorkspace, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database, Every, KeyRing, ServiceLog, type TaskRun } from '@postern/service-host';
import { WorkspaceTasks } from '../infrastructure/workspace-tasks.js';
import { slackBody, webhookBody } from './notification-bodies.js';
import { NotificationSender } from './notification-sender.js';
import { openedTarget } from './notification-targets.js';
import {
  DUE_DELIVERIES,
  PURGE_DELIVERIES,
  QUEUE_NOTIFICATION,
  RECORD_ATTEMPT,
  RECORD_OUTCOME,
} from './notifications.sql.js';

const POLL_MS = 1_000;
/** Targets that are sent to at the same time: in all, and of one workspace. Each gets one notification at a time. */
const AT_ONCE = { inAll: 32, ofWorkspace: 4 };
/** Notifications that wait for one target; further ones are not queued. */
const MAX_WAITING = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** About 24 hours in all. */
const RETRY_DELAYS_MS: readonly number[] = [
  ...[5_000, 30_000, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR],
];

interface DueDelivery {
  readonly id: string;
  readonly targetId: string;
  readonly workspaceId: string;
  readonly kind: NotificationTarget['kind'];
  readonly sealed: string;
  readonly body: string;
  readonly attempts: number;
}

/** Queues notifications for the targets of a workspace, and sends them in the leading replica, each at least once. */
@Injectable()
export class DeliverNotifications {
  readonly #tasks = new WorkspaceTasks(AT_ONCE);

  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly sender: NotificationSender,
    private readonly log: ServiceLog,
  ) {}

  @Handles(notifyWorkspace)
  async queue(notification: RequestOf<typeof notifyWorkspace>): Promise<ReplyOf<typeof notifyWorkspace>> {
    const { id, workspace_id } = notification;
    const bodies = [webhookBody(notification), slackBody(notification)];
    await this.database.pool.query(QUEUE_NOTIFICATION, [workspace_id, id, ...bodies, MAX_WAITING]);
    return {};
  }

  /** Runs until leadership is lost; resolves when the attempts in progress are recorded. */
  @Every(1_000, 'deliver notifications', { onOneReplica: true })
  async run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    while (!signal.aborted) {
      const { rows } = await this.database.pool.query<DueDelivery>({
        name: 'due-notifications',
        text: DUE_DELIVERIES,
        values: [10 * AT_ONCE.inAll],
      });
      for (const delivery of rows) this.#start(delivery);
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    await this.#tasks.allDone();
  }

  @Every(HOUR, 'purge notifications', { onOneReplica: true })
  async purge({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    await this.database.pool.query(PURGE_DELIVERIES, [now]);
  }

  #start(delivery: DueDelivery): void {
    const { targetId, workspaceId } = delivery;
    this.#tasks.start(targetId, workspaceId, () =>
      this.#attempt(delivery).catch(err =>
        this.log.error({ err, target: targetId }, 'A notification could not be sent; it will be retried'),
      ),
    );
  }

  async #attempt({ id, targetId, kind, sealed, body, attempts }: DueDelivery): Promise<void> {
    const target = openedTarget(this.keys, { id: targetId, sealed });
    const { error, isFinal } = await this.sender.send(kind, target, body);
    const retryInMs = isFinal ? null : (RETRY_DELAYS_MS[attempts] ?? null);
    const { pool } = this.database;
    await pool.query(RECORD_ATTEMPT, [id, retryInMs]);
    await pool.query(RECORD_OUTCOME, [targetId, error ?? null]);
  }
}
