import { connect } from '@nats-io/transport-node';
import { inboxPrefixOf } from '@postern/contracts';

/** A user of NATS. */
export interface Credential {
  readonly user: string;
  readonly pass: string;
}

/** How a NATS server is reached, and how long it may take to answer. */
export interface JetStreamProbe {
  readonly url: string;
  readonly credential?: Credential;
  readonly withinMs: number;
}

/**
 * Whether JetStream answers, asked over a connection of its own. The account's information is computed from every
 * stream: a server whose streams hang does not respond, while its `/healthz` says ok.
 */
export const jetStreamAnswers = async ({ url, credential, withinMs }: JetStreamProbe): Promise<boolean> => {
  try {
    const connection = await connect({
      servers: url,
      ...credential,
      // The only inboxes of the operator, who is the one user that may ask.
      inboxPrefix: inboxPrefixOf('operator'),
      reconnect: false,
      timeout: withinMs,
      name: 'local-start',
    });
    try {
      const answer = await connection.request('$JS.API.INFO', '', { timeout: withinMs });
      return answer.json<{ error?: unknown }>().error === undefined;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
};
