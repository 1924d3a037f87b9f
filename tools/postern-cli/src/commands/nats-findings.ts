import { type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import { queueNameOf, type ServiceName } from '@postern/contracts';
import { QUEUES } from '@postern/contracts/nats-permissions';
import type { NatsLink } from '@postern/messaging';
import type { Finding } from '@postern/service-host';

const REQUIRED_PAYLOAD = 16 * 1024 * 1024;
const MINIMUM_VERSION = [2, 9];
const WARNING_USE = 0.8;

/** Checks the version, message size, JetStream and the queue of NATS, as the configured account sees them. */
export const natsFindings = async (nc: NatsLink['nc']): Promise<Finding[]> => {
  const { version = '', max_payload: payload = 0, tls_required: tls = false } = nc.info ?? {};
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = MINIMUM_VERSION;
  const isSupported = major > minMajor || (major === minMajor && minor >= minMinor);
  const findings: Finding[] = [
    { check: 'version', verdict: isSupported ? 'good' : 'bad', found: version, advice: 'Upgrade to 2.9 or later.' },
    {
      check: 'max_payload',
      verdict: payload >= REQUIRED_PAYLOAD ? 'good' : 'bad',
      found: `${payload} bytes`,
      advice: `Set max_payload: 16MB in nats-server.conf: the largest email needs ${REQUIRED_PAYLOAD} bytes.`,
    },
    {
      check: 'TLS',
      verdict: tls || isLocal(nc.getServer()) ? 'good' : 'warning',
      found: tls ? 'required' : 'not required',
      advice: 'Turn it on unless the network is private: NATS transports message contents.',
    },
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

const isLocal = (server: string): boolean => /^(127\.|localhost|\[?::1)/.test(server);
