import { randomUUID } from 'node:crypto';
import { probeReturnPath, returnPathArrivals, SERVICE_NAMES } from '@postern/contracts';
import type { Finding } from '@postern/service-host';
import { askAll, type Operator } from '../operator.js';
import { natsFindings } from './nats-findings.js';

const CLOCK_WARNING_MS = 1_000;
const PROBE_WITHIN_MS = 20_000;
const SIGN = { good: '✓', warning: '!', bad: '✗' } as const;

/** `doctor [--no-mail]`: looks at everything that Postern stands on, and says what to change. */
export const doctor = async (operator: Operator, { mail }: { readonly mail: boolean }): Promise<boolean> => {
  const all: Finding[] = [];
  const show = (title: string, findings: readonly Finding[]) => {
    all.push(...findings);
    operator.print(`\n${title}`);
    for (const { verdict, check, found, advice } of findings) {
      operator.print(`  ${SIGN[verdict]} ${check}: ${found}`);
      if (advice && verdict !== 'good') operator.print(`      ${advice}`);
    }
  };
  show('NATS', await natsFindings(operator.link.nc));
  const asked = Date.now();
  const answers = await askAll(operator, SERVICE_NAMES, 'diagnose', {});
  const tookMs = Date.now() - asked;
  for (const answer of answers)
    show(
      answer.service,
      'failure' in answer
        ? [{ check: 'answers', verdict: 'bad', found: answer.failure, advice: 'Is it running, at this NATS?' }]
        : [clockFinding(answer.reply.now, asked, tookMs), ...answer.reply.findings],
    );
  if (mail) show('return path', [await returnPathFinding(operator)]);
  const count = (verdict: Finding['verdict']) => all.filter(finding => finding.verdict === verdict).length;
  operator.print(`\n${count('good')} good, ${count('warning')} to look at, ${count('bad')} to change`);
  return count('bad') === 0;
};

/** The service said the time somewhere between our question and its answer. */
const clockFinding = (now: string, asked: number, tookMs: number): Finding => {
  const at = Date.parse(now);
  const offMs = at < asked ? asked - at : Math.max(0, at - asked - tookMs);
  const finding = { check: 'clock', found: offMs === 0 ? 'agrees with ours' : `${offMs} ms from ours` };
  return offMs < CLOCK_WARNING_MS
    ? { ...finding, verdict: 'good' }
    : { ...finding, verdict: 'bad', advice: 'Run chrony or systemd-timesyncd: signatures of webhooks carry the time.' };
};

/** A mail to a return path, by way of the relay, seen to arrive at the bounce listener. */
const returnPathFinding = async ({ link, requests }: Operator): Promise<Finding> => {
  const check = 'a mail from a return path to itself';
  const probeId = randomUUID();
  const arrival = link.nc.subscribe(returnPathArrivals(probeId), { max: 1 });
  const timer = setTimeout(() => arrival.unsubscribe(), PROBE_WITHIN_MS);
  const began = Date.now();
  try {
    const { relay, taken, answer } = await requests.request(probeReturnPath, { probe_id: probeId });
    if (!taken)
      return {
        check,
        verdict: 'bad',
        found: `${relay}: ${answer}`,
        advice: 'The relay has to take mail for the bounce domain.',
      };
    for await (const _ of arrival)
      return { check, verdict: 'good', found: `through ${relay}, there after ${Date.now() - began} ms` };
    return {
      check,
      verdict: 'bad',
      found: `${relay} took it (${answer}), and it did not arrive within ${PROBE_WITHIN_MS / 1_000} s`,
      advice: 'Look into the relay’s queue: the MX of the bounce domain has to lead it to the bounce listener.',
    };
  } catch (error) {
    return { check, verdict: 'bad', found: (error as Error).message, advice: 'Is email-send running?' };
  } finally {
    clearTimeout(timer);
    arrival.unsubscribe();
  }
};
