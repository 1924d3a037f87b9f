import { randomUUID } from 'node:crypto';
import {
  describeIsolation,
  probeReturnPath,
  returnPathArrivals,
  SERVICE_NAMES,
  type ServiceName,
} from '@postern/contracts';
import { answeredInTime, type Finding } from '@postern/service-host/findings';
import { UsageError } from '../errors.js';
import { diskFindings } from './disk-findings.js';
import { natsFindings } from './nats-findings.js';
import { type Operator, requestOperation } from './operator.js';

const CLOCK_WARNING_MS = 1_000;
const PROBE_TIMEOUT_MS = 20_000;
/** Of all checks together; services limit theirs to less. */
const ANSWER_WITHIN_MS = 4_500;
/** Checks have at least this, after a connection that took long. */
const LEAST_MS = 1_000;
const CONNECT_WITHIN_MS = ANSWER_WITHIN_MS - LEAST_MS;
const ICONS = { good: '✓', warning: '!', bad: '✗' } as const;

export interface DoctorOptions {
  readonly mail: boolean;
  /** Prints one JSON object with all findings and their places. */
  readonly json: boolean;
  readonly print: (line: string) => void;
  /** Connects to NATS. */
  readonly connect: (withinMs: number) => Promise<Operator>;
}

/** `doctor [--no-mail] [--json]`: checks all dependencies of Postern, and prints what to fix. */
export const doctor = async ({ mail, json, print, connect }: DoctorOptions): Promise<boolean> => {
  const all: (Finding & { readonly place: string })[] = [];
  const show = (title: string, findings: readonly Finding[]) => {
    all.push(...findings.map(finding => ({ place: title, ...finding })));
    if (json) return;
    print(`\n${title}`);
    for (const { verdict, check, found, advice } of findings) {
      print(`  ${ICONS[verdict]} ${check}: ${found}`);
      if (advice && verdict !== 'good') print(`      ${advice}`);
    }
  };
  const deadline = performance.now() + ANSWER_WITHIN_MS;
  // Everything is asked at once; disks first, because what else hangs often follows from a full one.
  const disks = diskFindings();
  const connecting = connect(CONNECT_WITHIN_MS).catch((error: Error) => error);
  show('disks of this machine', await disks);
  const operator = await connecting;
  if (operator instanceof UsageError) throw operator;
  if (operator instanceof Error) {
    const advice = 'Nothing else can be checked without NATS. Check first whether a disk is full.';
    show('NATS', [{ check: 'connection', verdict: 'bad', found: operator.message, advice }]);
  } else {
    const limitMs = Math.max(LEAST_MS, Math.floor(deadline - performance.now()));
    const nats = answeredInTime('NATS', limitMs, () => natsFindings(operator.link));
    const services = SERVICE_NAMES.map(service => serviceFindings(operator, service, limitMs));
    const isolation = answeredInTime('runtime-agent', limitMs, () => isolationFindings(operator));
    show('NATS', await nats);
    for (const [place, service] of SERVICE_NAMES.entries()) show(service, await services[place]!);
    show('web services and builds', await isolation);
    if (mail) {
      if (!json) print(`\nwaiting up to ${PROBE_TIMEOUT_MS / 1_000} s for a mail`);
      show('return path', [await returnPathFinding(operator)]);
    }
  }
  const count = (verdict: Finding['verdict']) => all.filter(finding => finding.verdict === verdict).length;
  if (json) print(JSON.stringify({ findings: all }));
  else print(`\n${count('good')} passed, ${count('warning')} warnings, ${count('bad')} failed`);
  return count('bad') === 0;
};

/** What one service finds, and the difference of its clock. */
const serviceFindings = (operator: Operator, service: ServiceName, limitMs: number): Promise<readonly Finding[]> => {
  const findings = async () => {
    const sentAt = Date.now();
    const { now, findings } = await requestOperation(operator, service, 'diagnose', {});
    return [clockFinding(now, sentAt, Date.now() - sentAt), ...findings];
  };
  return answeredInTime('responds', limitMs, findings, service);
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
