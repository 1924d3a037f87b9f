import { resolveMx } from 'node:dns/promises';
import { connect } from 'node:net';
import type { Finding } from './finding.js';

/** Large receivers; a machine that reaches neither cannot send. */
const RECEIVERS = ['gmail.com', 'outlook.com'];
const CONNECT_WITHIN_MS = 5_000;
const CHECK = 'outbound port 25';

const reaches = (host: string, port = 25): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ host, port });
    const end = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.setTimeout(CONNECT_WITHIN_MS, () => end(false));
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
  });

/** Whether mail servers of two large receivers greet this machine. Many providers block port 25 until one asks. */
export const outboundMailFinding = async (receivers: readonly string[] = RECEIVERS): Promise<Finding> => {
  const reached = await Promise.all(
    receivers.map(async domain => {
      const servers = await resolveMx(domain).catch(() => []);
      const [first] = servers.sort((one, other) => one.priority - other.priority);
      return first !== undefined && (await reaches(first.exchange));
    }),
  );
  const names = receivers.filter((_, index) => reached[index]);
  if (names.length > 0) return { check: CHECK, verdict: 'good', found: `open, reached ${names.join(' and ')}` };
  return {
    check: CHECK,
    verdict: 'bad',
    found: `no answer of the mail servers of ${receivers.join(' and ')}`,
    advice:
      'Ask the provider of this server to open port 25, or send over a relay: in config.yaml, mail.send: smtps://user@smtp.example.com',
  };
};
