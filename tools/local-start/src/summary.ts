import type { ReadyFile } from './ready-file.js';

/** What a newcomer reads when the start is done: what runs where, the keys, and what to try first. */
export const summary = (ready: ReadyFile, start: { home: string; seconds: number; domain: string }): string => `
Postern is ready after ${start.seconds.toFixed(1)} s.

  API          ${ready.base_url}             (reference: ${ready.base_url}/docs)
  Dashboard    ${ready.dashboard.url}   ${ready.dashboard.email} / ${ready.dashboard.password}
  Mailboxes    ${ready.mailbox_url}            every mail that "left" ends up here
  State, logs  ${start.home}

  Production key   ${ready.email.production.api_key}   sends from any address at ${start.domain}
  Sandbox key      ${ready.email.sandbox.api_key}   sends to ${ready.email.sandbox.verified_recipient} only

Try it; the events of the message appear below:

  curl ${ready.base_url}/emails -H 'Api-Key: ${ready.email.production.api_key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"from":"me@${start.domain}","to":["hard-bounce@simulator.test"],"subject":"Hello","text":"Is anybody there?"}'

Ctrl-C stops everything. The next start goes on with the same data.
`;
