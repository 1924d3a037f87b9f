import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { NatsLink } from '@postern/messaging';
import type { Finding } from '@postern/service-host';

const NEEDED_PAYLOAD = 16 * 1024 * 1024;
const OLDEST = [2, 9];
const PUBLISHERS = ['email-send', 'delivery-tracking'];
const FULL = 0.8;

/** Version, message size, JetStream and its streams, as our own account sees them. */
export const natsFindings = async (nc: NatsLink['nc']): Promise<Finding[]> => {
  const { version = '', max_payload: payload = 0, tls_required: tls = false } = nc.info ?? {};
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isYoung = major > (OLDEST[0] ?? 0) || (major === OLDEST[0] && minor >= (OLDEST[1] ?? 0));
  const findings: Finding[] = [
    { check: 'version', verdict: isYoung ? 'good' : 'bad', found: version, advice: 'Upgrade to 2.9 or later.' },
    {
      check: 'max_payload',
      verdict: payload >= NEEDED_PAYLOAD ? 'good' : 'bad',
      found: `${payload} bytes`,
      advice: `Set max_payload: 16MB in nats-server.conf: the largest email needs ${NEEDED_PAYLOAD} bytes.`,
    },
    {
      check: 'TLS',
      verdict: tls || isLocal(nc.getServer()) ? 'good' : 'warning',
      found: tls ? 'required' : 'not required',
      advice: 'Turn it on where the network is not yours alone: messages pass through NATS.',
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
      advice: 'Add jetstream { store_dir: … } to nats-server.conf, and allow it to our account.',
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
      found: 'not there',
      advice: `${service} makes it when it publishes first; does it run?`,
    };
  const { bytes, messages } = info.state;
  const used = info.config.max_bytes > 0 ? bytes / info.config.max_bytes : 0;
  const found = `${messages} events, ${Math.round(used * 100)} % of its room, ${info.config.storage}`;
  if (info.config.storage !== 'file')
    return {
      check,
      verdict: 'bad',
      found,
      advice: 'It has to lie on disk: delete it, and its service makes it again.',
    };
  if (info.config.discard !== 'new')
    return {
      check,
      verdict: 'bad',
      found: `${found}, drops the oldest events when it is full`,
      advice: `Start the current release of ${service}, which makes it refuse new ones instead.`,
    };
  return used < FULL
    ? { check, verdict: 'good', found }
    : {
        check,
        verdict: 'warning',
        found,
        advice: 'New events wait in the database: see that every consumer keeps up.',
      };
};

const isLocal = (server: string): boolean => /^(127\.|localhost|\[?::1)/.test(server);
