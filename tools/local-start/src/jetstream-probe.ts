import { connect } from '@nats-io/transport-node';
import { inboxPrefixOf } from '@postern/contracts';

/** Credentials of a NATS user. */
export interface Credential {
  readonly user: string;
  readonly pass: string;
}

/** Address and credentials of a NATS server, and the timeout of the probe. */
export interface JetStreamProbe {
  readonly url: string;
  readonly credential?: Credential;
  /** Certificate authority of the server (PEM file); without it, TLS is not required. */
  readonly caFile?: string;
  readonly withinMs: number;
}

/**
 * Whether JetStream responds, checked over a separate connection. The account information covers every stream: a server
 * whose streams hang does not respond, although its `/healthz` reports ok.
 */
export const jetStreamAnswers = async ({ url, credential, caFile, withinMs }: JetStreamProbe): Promise<boolean> => {
  try {
    const connection = await connect({
      servers: url,
      ...credential,
      ...(caFile ? { tls: { caFile } } : {}),
      // The operator is the only user with access to this API, and may use only these inboxes.
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
