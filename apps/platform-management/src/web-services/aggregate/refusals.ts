import { Refusal } from '@postern/contracts/refusal';
import type { WebService } from './state.js';

export const noSuchService = (): Refusal => new Refusal('web_service_not_found', 'there is no such web service');
export const noSuchDeployment = (): Refusal =>
  new Refusal('deployment_not_found', 'there is no such deployment of this web service');

/** Refuses what would make a blocked or suspended service run, or build. */
export function refuseFlagged({ blocked, suspended }: WebService): void {
  if (blocked !== undefined) throw new Refusal('service_blocked', `the web service is blocked: ${blocked}`);
  if (suspended !== undefined) throw new Refusal('service_suspended', `the web service is suspended: ${suspended}`);
}
