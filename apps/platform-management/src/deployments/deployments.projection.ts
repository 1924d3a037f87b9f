import type { RecordedEvent } from '@postern/event-sourcing';
import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import type { Because, DeploymentEvent } from '../web-services/aggregate/events.js';

/** What a cancelled deployment says about itself; nothing where its owner cancelled it. */
const WHY_CANCELLED: Readonly<Record<Because, string | null>> = {
  user: null,
  stop: 'cancelled, because the web service was stopped',
  block: 'cancelled, because the web service was blocked',
  suspend: 'cancelled, because the web service was suspended',
};

/** One event's part in the read model of deployments. What was live keeps the time at which it went live. */
export function applyDeploymentEvent(
  event: RecordedEvent & DeploymentEvent,
  tx: ProjectionTransaction,
): Promise<unknown> | undefined {
  const deployments = tx.table('deployments');
  const { deployment_id: id, web_service_id, at } = event.data;
  const end = (status: string, error: string | null = null) =>
    tx.query(
      `UPDATE ${deployments} SET status = $2, error = $3, finished_at = coalesce(finished_at, $4) WHERE id = $1`,
      [id, status, error, at],
    );
  switch (event.type) {
    case 'platform-management.deployment-requested.v1':
      return tx.query(
        `INSERT INTO ${deployments} (id, web_service_id, number, branch, status, created_at)
         VALUES ($1, $2, $3, $4, 'queued', $5)`,
        [id, web_service_id, event.version, event.data.branch, at],
      );
    case 'platform-management.rollback-requested.v1': {
      const { branch, commit, rollback_of } = event.data;
      return tx.query(
        `INSERT INTO ${deployments} (id, web_service_id, number, branch, commit, rollback_of, status, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'queued', $7)`,
        [id, web_service_id, event.version, branch, commit, rollback_of, at],
      );
    }
    case 'platform-management.deployment-begun.v1':
      return tx.query(`UPDATE ${deployments} SET status = $2, started_at = $3 WHERE id = $1`, [
        id,
        event.data.stage,
        at,
      ]);
    case 'platform-management.deployment-source-resolved.v1':
      return tx.query(`UPDATE ${deployments} SET branch = $2, commit = $3 WHERE id = $1`, [
        id,
        event.data.branch,
        event.data.commit,
      ]);
    case 'platform-management.deployment-built.v1':
      return tx.query(`UPDATE ${deployments} SET status = 'releasing', commit = $2 WHERE id = $1`, [
        id,
        event.data.commit,
      ]);
    case 'platform-management.deployment-cancellation-requested.v1':
      return undefined;
    case 'platform-management.deployment-cancelled.v1':
      return end('cancelled', WHY_CANCELLED[event.data.because]);
    case 'platform-management.deployment-failed.v1':
      return end('failed', event.data.reason);
    case 'platform-management.deployment-live.v1':
      return end('live');
    case 'platform-management.deployment-superseded.v1':
      return end('superseded');
    case 'platform-management.deployment-rolled-back.v1':
      return end('rolled_back');
  }
}
