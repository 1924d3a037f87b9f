import { DEMO_DOMAIN } from './demo.js';
import type { ReadyFile } from './ready-file.js';
import type { RunningSample } from './sample-service.js';

interface Start {
  readonly home: string;
  readonly seconds: number;
  readonly sample: RunningSample | undefined;
}

/** The text printed once the start is complete: URLs, keys and first steps. */
export const summary = (ready: ReadyFile, start: Start): string => `
Postern is ready after ${start.seconds.toFixed(1)} s.

  API          ${ready.base_url}             (documentation: ${ready.base_url}/docs)
  Dashboard    ${ready.dashboard.url}   ${ready.dashboard.email} / ${ready.dashboard.password}
  Mailboxes    ${ready.mailbox_url}            all outgoing mail is delivered here
  SMTP         ${ready.submission.host}:${ready.submission.port}                  an email key is the password
  State, logs  ${start.home}
${ofKeys(ready)}${ofSample(ready, start.sample)}${ofEmail(ready)}
Ctrl-C stops everything. The next start uses the same data.
`;

const ofKeys = ({ email, platform }: ReadyFile): string =>
  email && platform
    ? `
  Production key   ${email.production.api_key}   sends from any address at ${DEMO_DOMAIN}
  Sandbox key      ${email.sandbox.api_key}   sends to ${email.sandbox.verified_recipient} only
  Platform key     ${platform.write_key}   projects, web services, deployments
`
    : '';

const ofEmail = ({ base_url, email }: ReadyFile): string =>
  email
    ? `
Try it; the events of the message appear below:

  curl ${base_url}/emails -H 'Api-Key: ${email.production.api_key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"from":"me@${DEMO_DOMAIN}","to":["hard-bounce@simulator.test"],"subject":"Hello","text":"Is anybody there?"}'
`
    : '';

const ofSample = ({ base_url, platform }: ReadyFile, sample: RunningSample | undefined): string =>
  sample && platform
    ? `
A web service was built from ${sample.repository} and runs at ${sample.url}

  curl ${sample.url}
  curl ${base_url}/api/v1/web-services/${sample.webServiceId}/logs -H 'Authorization: Bearer ${platform.read_key}'
  curl -X POST ${base_url}/api/v1/web-services/${sample.webServiceId}/deployments \\
    -H 'Authorization: Bearer ${platform.write_key}' -H 'Content-Type: application/json' -d '{}'
`
    : '';
