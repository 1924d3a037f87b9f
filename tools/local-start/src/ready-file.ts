import { DEMO_DOMAIN, type DemoWorkspace, OWNER, type PlatformAccess } from './demo.js';
import type { RunningPostern } from './postern.js';

interface EmailAccess {
  readonly sandbox: { readonly service_id: string; readonly api_key: string; readonly verified_recipient: string };
  readonly production: { readonly service_id: string; readonly api_key: string; readonly domain: string };
}

/** The content of `ready.json` for scripts and tests: all URLs and keys. */
export interface ReadyFile {
  readonly base_url: string;
  readonly dashboard: { readonly url: string; readonly email: string; readonly password: string };
  readonly mailbox_url: string;
  /** Where applications submit messages over SMTP, with an API key of an email service as the password. */
  readonly submission: { readonly host: string; readonly port: number };
  /** For the `postern` command; the password of the user `operator` is in secrets.json. */
  readonly nats_url: string;
  /** Certificate authority of NATS (PEM file). */
  readonly nats_ca_file: string;
  /** Null if the demo workspace could not be prepared. */
  readonly email: EmailAccess | null;
  /** Null if the demo workspace could not be prepared. */
  readonly platform: PlatformAccess | null;
  readonly processes: Readonly<Record<string, number>>;
  /** URL of each service's metrics, in Prometheus format, and the bearer token for them. */
  readonly metrics: Readonly<Record<string, string>>;
  readonly metrics_token: string;
}

/** Describes the running local start, with the keys of the demo workspace if it exists. */
export const readyFile = (running: RunningPostern): ReadyFile => {
  const demo = running.home.read<DemoWorkspace>('demo.json');
  return {
    base_url: running.baseUrl,
    dashboard: {
      url: `${running.baseUrl}/dashboard`,
      email: running.operator.email,
      password: running.operator.password,
    },
    mailbox_url: running.mailboxUrl,
    submission: { host: '127.0.0.1', port: running.wiring.submissionPort },
    nats_url: running.nats.url,
    nats_ca_file: running.wiring.natsCaFile,
    email: demo
      ? {
          sandbox: { ...demo.sandbox, verified_recipient: OWNER },
          production: { ...demo.production, domain: DEMO_DOMAIN },
        }
      : null,
    platform: demo?.platform ?? null,
    processes: running.processes(),
    metrics: running.metricsUrls(),
    metrics_token: running.metricsToken,
  };
};
