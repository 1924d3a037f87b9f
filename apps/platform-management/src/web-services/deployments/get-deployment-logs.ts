import { getDeploymentLogs, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { WebServices } from '../services/web-services.projection.js';
import { Deployments } from './deployments.projection.js';

const MAX_LINES = 10_000;
/** Seconds after the recorded end of the deployment in which its last lines may be written. */
const LATE_S = 2;

/** Returns the log lines of the time of a deployment; a web service has at most one active deployment. */
@Handles(getDeploymentLogs)
export class GetDeploymentLogs {
  constructor(
    private readonly webServices: WebServices,
    private readonly deployments: Deployments,
    private readonly runtime: Runtime,
  ) {}

  async execute(request: RequestOf<typeof getDeploymentLogs>): Promise<ReplyOf<typeof getDeploymentLogs>> {
    const { web_service_id: id, deployment_id } = request;
    await this.webServices.requireOwner(request, id);
    const { started_at, finished_at } = await this.deployments.require(id, deployment_id);
    if (started_at === null) return { lines: [] };
    const lines = await this.runtime.logs(id, {
      tail: MAX_LINES,
      since: Date.parse(started_at) / 1_000,
      until: finished_at === null ? undefined : Date.parse(finished_at) / 1_000 + LATE_S,
      streams: ['build', 'platform'],
    });
    return { lines: lines.map(({ timestamp, ...line }) => ({ timestamp: timestamp.toISOString(), ...line })) };
  }
}
