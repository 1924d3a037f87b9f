import { randomUUID } from 'node:crypto';
import {
  describeIsolation,
  probeReturnPath,
  returnPathArrivals,
  SERVICE_NAMES,
  type ServiceName,
} from '@postern/contracts';
import { answeredInTime, type Finding } from '@postern/service-host/findings';
import { type Operator, requestOperation } from '../operator.js';
import { diskFindings } from './disk-findings.js';
import { natsFindings } from './nats-findings.js';

const CLOCK_WARNING_MS = 1_000;
const PROBE_TIMEOUT_MS = 20_000;
/** Of one check; services limit theirs to less. */
const ANSWER_WITHIN_MS = 4_500;
const ICONS = { good: '✓', warning: '!', bad: '✗' } as const;

interface DoctorOptions {
  readonly mail: boolean;
  /** Prints one JSON object with all findings and their places. */
  readonly json: boolean;
}

/** `doctor [--no-mail] [--json]`: checks all dependencies of Postern, and prints what to fix. */
export const doctor = async (operator: Operator, { mail, json }: DoctorOptions): Promise<boolean> => {
  const all: (Finding & { readonly place: string })[] = [];
  const show = (title: string, findings: readonly Finding[]) => {
    all.push(...findings.map(finding => ({ place: title, ...finding })));
    if (json) return;
    operator.print(`\n${title}`);
    for (const { verdict, check, found, advice } of findings) {
      operator.print(`  ${ICONS[verdict]} ${check}: ${found}`);
      if (advice && verdict !== 'good') operator.print(`      ${advice}`);
    }
  };
  // Everything is asked at once; disks first, because what else hangs often follows from a full one.
  const disks = diskFindings();
  const nats = answeredInTime('NATS', ANSWER_WITHIN_MS, () => natsFindings(operator.link));
  const services = SERVICE_NAMES.map(service => serviceFindings(operator, service));
  const isolation = answeredInTime('runtime-agent', ANSWER_WITHIN_MS, () => isolationFindings(operator));
  show('disks of this machine', await disks);
  show('NATS', await nats);
  for (const [place, service] of SERVICE_NAMES.entries()) show(service, await services[place]!);
  show('web services and builds', await isolation);
  if (mail) {
    if (!json) operator.print(`\nwaiting up to ${PROBE_TIMEOUT_MS / 1_000} s for a mail`);
    show('return path', [await returnPathFinding(operator)]);
  }
  const count = (verdict: Finding['verdict']) => all.filter(finding => finding.verdict === verdict).length;
  if (json) operator.print(JSON.stringify({ findings: all }));
  else operator.print(`\n${count('good')} passed, ${count('warning')} warnings, ${count('bad')} failed`);
  return count('bad') === 0;
};

/** What one service finds, and the difference of its clock. */
const serviceFindings = (operator: Operator, service: ServiceName): Promise<readonly Finding[]> => {
  const findings = async () => {
    const sentAt = Date.now();
    const { now, findings } = await requestOperation(operator, service, 'diagnose', {});
    return [clockFinding(now, sentAt, Date.now() - sentAt), ...findings];
  };
  return answeredInTime('responds', ANSWER_WITHIN_MS, findings, service);
};

/** Isolation features that the machine of runtime-agent lacks. */
const isolationFindings = async ({ requests }: Operator): Promise<Finding[]> => {
  const check = 'isolation';
  const advice = 'Run runtime-agent as root, on a machine that allows namespaces and control groups.';
  try {
    const { gaps } = await requests.request(describeIsolation, {});
    if (gaps.length === 0) return [{ check, verdict: 'good', found: 'own users, namespaces and limits' }];
    return gaps.map(found => ({ check, verdict: 'warning', found, advice }));
  } catch (error) {
    return [
      { check, verdict: 'warning', found: (error as Error).message, advice: 'Check that runtime-agent is running.' },
    ];
  }
};

/** The clock was read at an unknown time between the request and the reply. */
const clockFinding = (now: string, sentAt: number, durationMs: number): Finding => {
  const at = Date.parse(now);
  const offsetMs = at < sentAt ? sentAt - at : Math.max(0, at - sentAt - durationMs);
  const found = offsetMs === 0 ? 'same as this machine' : `${offsetMs} ms different from this machine`;
  const finding = { check: 'clock', found };
  return offsetMs < CLOCK_WARNING_MS
    ? { ...finding, verdict: 'good' }
    : {
        ...finding,
        verdict: 'bad',
        advice: 'Synchronize the clocks with chrony or systemd-timesyncd. Webhook signatures contain the time.',
      };
};

/** Sends a message to a return path through the relay, and waits until it arrives at the bounce listener. */
const returnPathFinding = async ({ link, requests }: Operator): Promise<Finding> => {
  const check = 'message from a return path to itself';
  const probeId = randomUUID();
  const arrival = link.nc.subscribe(returnPathArrivals(probeId), { max: 1 });
  const timer = setTimeout(() => arrival.unsubscribe(), PROBE_TIMEOUT_MS);
  const startedAt = Date.now();
  try {
    const { relay, taken, answer } = await requests.request(probeReturnPath, { probe_id: probeId });
    if (!taken)
      return {
        check,
        verdict: 'bad',
        found: `${relay}: ${answer}`,
        advice: 'Configure the relay to accept mail for the bounce domain.',
      };
    for await (const _ of arrival)
      return { check, verdict: 'good', found: `through ${relay}, arrived after ${Date.now() - startedAt} ms` };
    return {
      check,
      verdict: 'bad',
      found: `${relay} accepted it (${answer}), but it did not arrive within ${PROBE_TIMEOUT_MS / 1_000} s`,
      advice: 'Check the queue of the relay. The MX record of the bounce domain must point to the bounce listener.',
    };
  } catch (error) {
    return { check, verdict: 'bad', found: (error as Error).message, advice: 'Check that email-send is running.' };
  } finally {
    clearTimeout(timer);
    arrival.unsubscribe();
  }
};
