import { BASE_PATHS, type HttpRoute } from '@postern/contracts';
import { ALL_REQUESTS } from '@postern/contracts/nats-permissions';
import type { Attacker } from './fuzz-world.js';

/** A call of a route with the attacker's credentials. */
export interface RouteCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Routes that end the credentials of the run or delete resources that other targets use. */
const ENDS_THE_RUN =
  /\/session|\/sessions|\/me\/|\/workspaces|\/platform-keys|DELETE \/(?:projects|web-services|databases|email-services)\/\{\w+\}$/;

const NOBODY = '01980000-0000-7000-8000-000000000000';

/** Calls of every route of the contracts with the attacker's own resources; new routes are included automatically. */
export const contractCalls = (attacker: Attacker): readonly RouteCall[] =>
  ALL_REQUESTS.flatMap(({ http }) => http).flatMap(route => callsOf(route, attacker));

const callsOf = ({ method, path, access, examples }: HttpRoute, attacker: Attacker): readonly RouteCall[] => {
  if (ENDS_THE_RUN.test(`${method} ${path}`)) return [];
  const ids: Readonly<Record<string, string>> = {
    service_id: attacker.serviceId,
    web_service_id: attacker.webServiceId,
    project_id: attacker.projectId,
  };
  const known = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? NOBODY);
  return [access].flat().map(caller => ({
    method,
    path: `${BASE_PATHS[caller]}${known}`,
    headers: {
      Authorization: `Bearer ${caller === 'platform-key' ? attacker.platformKey : attacker.sessionToken}`,
    },
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: (examples?.body ?? {}) as object }),
  }));
};
