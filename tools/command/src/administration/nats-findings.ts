import { type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import { queueNameOf, type ServiceName } from '@postern/contracts';
import { QUEUES } from '@postern/contracts/nats-permissions';
import { isPatchedNats, isSupportedNats, UNPATCHED_NATS_ADVICE } from '@postern/contracts/nats-release';
import type { NatsLink, ServerIdentity } from '@postern/messaging';
import type { Finding } from '@postern/service-host';

const REQUIRED_PAYLOAD = 52 * 1024 * 1024;
/** The local start renews its certificate earlier. */
const EXPIRY_WARNING_MS = 30 * 86_400_000;
const WARNING_USE = 0.8;

/** Checks the version, TLS, message size, JetStream and the queue of NATS, as the configured account sees them. */
export const natsFindings = async ({ nc, identity }: Pick<NatsLink, 'nc' | 'identity'>): Promise<Finding[]> => {
  const { version = '', max_payload: payload = 0 } = nc.info ?? {};
  const findings: Finding[] = [
    versionFinding(version),
    {
      check: 'max_payload',
      verdict: payload >= REQUIRED_PAYLOAD ? 'good' : 'bad',
      found: `${payload} bytes`,
      advice: `Set max_payload: 52MB in nats-server.conf: the largest email needs ${REQUIRED_PAYLOAD} bytes.`,
    },
    tlsFinding(identity),
  ];
  try {
    const jsm = await jetstreamManager(nc);
    const account = await jsm.getAccountInfo();
    findings.push({
      check: 'JetStream',
      verdict: 'good',
      found: `on, ${account.streams} streams, ${(account.storage / 1e6).toFixed(1)} MB stored`,
    });
    for (const service of QUEUES) findings.push(await queueFinding(jsm, service));
  } catch (error) {
    findings.push({
      check: 'JetStream',
      verdict: 'bad',
      found: (error as Error).message,
      advice: 'Add jetstream { store_dir: … } to nats-server.conf, and enable JetStream for the account.',
    });
  }
  return findings;
};

const versionFinding = (version: string): Finding => {
  const verdict = isPatchedNats(version) ? 'good' : isSupportedNats(version) ? 'warning' : 'bad';
  return { check: 'version', verdict, found: version, advice: UNPATCHED_NATS_ADVICE };
};

const tlsFinding = (identity: ServerIdentity | undefined): Finding => {
  const until = identity?.validUntil;
  if (!until)
    return {
      check: 'TLS',
      verdict: 'warning',
      found: 'not used: another process on the address of NATS would receive the passwords of the services',
      advice:
        'Give NATS a certificate and set POSTERN_NATS_CA_FILE; `postern certificates create` makes both. Then remove POSTERN_NATS_CLEAR_TEXT.',
    };
  const isExpiring = until.getTime() - Date.now() < EXPIRY_WARNING_MS;
  return {
    check: 'TLS',
    verdict: isExpiring ? 'warning' : 'good',
    found: `the server is verified; its certificate is valid until ${until.toISOString().slice(0, 10)}`,
    advice: 'Renew the certificate, and let NATS read it: nats-server --signal reload',
  };
};

const queueFinding = async (jsm: JetStreamManager, service: ServiceName): Promise<Finding> => {
  const name = queueNameOf(service);
  const check = `queue ${name}`;
  const info = await jsm.streams.info(name).catch(() => undefined);
  if (!info)
    return { check, verdict: 'warning', found: 'missing', advice: `${service} creates it. Check that it is running.` };
  const found = `${info.state.messages} requests wait, ${percentFull(info)}`;
  return fillFinding(check, found, info, `Requests are refused when it is full. Check that ${service} is running.`);
};

/** The part of its maximum size that a stream uses; 0 without one. */
const useOf = ({ config, state }: StreamInfo): number => (config.max_bytes > 0 ? state.bytes / config.max_bytes : 0);

const percentFull = (info: StreamInfo): string => `${Math.round(useOf(info) * 100)}% full`;

const fillFinding = (check: string, found: string, info: StreamInfo, advice: string): Finding =>
  useOf(info) < WARNING_USE ? { check, verdict: 'good', found } : { check, verdict: 'warning', found, advice };
