import type { ReadyFile } from './ready-file.js';
import type { RunningSample } from './sample-service.js';

interface Start {
  readonly home: string;
  readonly seconds: number;
  readonly domain: string;
  readonly sample: RunningSample | undefined;
}

/** What a newcomer reads when the start is done: what runs where, the keys, and what to try first. */
export const summary = (ready: ReadyFile, start: Start): string => `
Postern is ready after ${start.seconds.toFixed(1)} s.

  API          ${ready.base_url}             (reference: ${ready.base_url}/docs)
  Dashboard    ${ready.dashboard.url}   ${ready.dashboard.email} / ${ready.dashboard.password}
  Mailboxes    ${ready.mailbox_url}            every mail that "left" ends up here
  State, logs  ${start.home}

  Production key   ${ready.email.production.api_key}   sends from any address at ${start.domain}
  Sandbox key      ${ready.email.sandbox.api_key}   sends to ${ready.email.sandbox.verified_recipient} only
  Platform key     ${ready.platform.write_key}   projects, web services, deployments
${ofSample(ready, start.sample)}
Try it; the events of the message appear below:

  curl ${ready.base_url}/emails -H 'Api-Key: ${ready.email.production.api_key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"from":"me@${start.domain}","to":["hard-bounce@simulator.test"],"subject":"Hello","text":"Is anybody there?"}'

Ctrl-C stops everything. The next start goes on with the same data.
`;

const ofSample = (ready: ReadyFile, sample: RunningSample | undefined): string =>
  sample
    ? `
A web service was built from ${sample.repository} and runs at ${sample.url}

  curl ${sample.url}
  curl ${ready.base_url}/api/v1/web-services/${sample.webServiceId}/logs -H 'Authorization: Bearer ${ready.platform.read_key}'
  curl -X POST ${ready.base_url}/api/v1/web-services/${sample.webServiceId}/deployments \\
    -H 'Authorization: Bearer ${ready.platform.write_key}' -H 'Content-Type: application/json' -d '{}'
`
    : '';
