import { DEMO_DOMAIN, type DemoWorkspace, OWNER, type PlatformAccess } from './demo.js';
import type { RunningPostern } from './postern.js';

/** What `ready.json` tells a script or a test: where everything answers, and with which keys. */
export interface ReadyFile {
  readonly base_url: string;
  readonly dashboard: { readonly url: string; readonly email: string; readonly password: string };
  readonly mailbox_url: string;
  /** For the `postern` command; the token that goes with it lies in secrets.json. */
  readonly nats_url: string;
  readonly email: {
    readonly sandbox: { readonly service_id: string; readonly api_key: string; readonly verified_recipient: string };
    readonly production: { readonly service_id: string; readonly api_key: string; readonly domain: string };
  };
  readonly platform: PlatformAccess;
  readonly processes: Readonly<Record<string, number>>;
}

/** @throws when the demo workspace has not been prepared yet. */
export const readyFile = (running: RunningPostern): ReadyFile => {
  const demo = running.home.read<DemoWorkspace>('demo.json');
  if (!demo) throw new Error('the demo workspace has not been prepared');
  return {
    base_url: running.baseUrl,
    dashboard: {
      url: `${running.baseUrl}/dashboard`,
      email: running.operator.email,
      password: running.operator.password,
    },
    mailbox_url: running.mailboxUrl,
    nats_url: running.nats.url,
    email: {
      sandbox: { ...demo.sandbox, verified_recipient: OWNER },
      production: { ...demo.production, domain: DEMO_DOMAIN },
    },
    platform: demo.platform,
    processes: running.processes(),
  };
};
