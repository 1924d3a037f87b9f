import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { NatsLink } from '@postern/messaging';
import type { Finding } from '@postern/service-host';

const REQUIRED_PAYLOAD = 16 * 1024 * 1024;
const MINIMUM_VERSION = [2, 9];
const PUBLISHERS = ['email-send', 'delivery-tracking'];
const WARNING_USE = 0.8;

/** Checks the version, message size, JetStream and streams of NATS, as the configured account sees them. */
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
      advice: 'Turn it on unless the network is private: NATS carries message contents.',
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
    for (const service of PUBLISHERS) findings.push(await streamFinding(jsm, service));
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

const streamFinding = async (jsm: JetStreamManager, service: string): Promise<Finding> => {
  const check = `stream postern-${service}`;
  const info = await jsm.streams.info(`postern-${service}`).catch(() => undefined);
  if (!info)
    return {
      check,
      verdict: 'warning',
      found: 'missing',
      advice: `${service} creates it when it first publishes. Check that it is running.`,
    };
  const { bytes, messages } = info.state;
  const used = info.config.max_bytes > 0 ? bytes / info.config.max_bytes : 0;
  const found = `${messages} events, ${Math.round(used * 100)}% full, ${info.config.storage} storage`;
  if (info.config.storage !== 'file')
    return {
      check,
      verdict: 'bad',
      found,
      advice: 'It must use file storage. Delete it; its service creates it again.',
    };
  if (info.config.discard !== 'new')
    return {
      check,
      verdict: 'bad',
      found: `${found}, drops the oldest events when it is full`,
      advice: `Start the current release of ${service}, which changes the stream to reject new events instead.`,
    };
  return used < WARNING_USE
    ? { check, verdict: 'good', found }
    : {
        check,
        verdict: 'warning',
        found,
        advice: 'New events wait in the database. Check that every consumer is running.',
      };
};

const isLocal = (server: string): boolean => /^(127\.|localhost|\[?::1)/.test(server);
