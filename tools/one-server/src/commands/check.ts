import { setTimeout as pause } from 'node:timers/promises';
import { type Plan, planOf } from '../applying/plan.js';
import { mailNotice, ping, relayOf } from '../checking/deliver.js';
import { type CheckState, compare, NOTHING_REPORTED, type PlacedFinding, troubles } from '../checking/lines.js';
import { noticeOf } from '../checking/notice.js';
import { writeReport } from '../checking/report.js';
import { diskFinding, serverFindings } from '../checking/server-findings.js';
import { readJson, writeJson } from '../machine/files.js';
import { succeeds } from '../machine/run.js';
import { SecretStore } from '../machine/secret-store.js';
import { isLocked, withLock } from '../operations/lock.js';
import { checked, type Finding, showFindings } from '../preflight/finding.js';
import { PLACES } from '../rendering/places.js';
import { measureStorage, type Storage } from '../storage/samples.js';
import { administrationOutput } from './administration.js';

type Print = (line: string) => void;

const STATE = `${PLACES.state}/check.json`;
const LOCK = '/run/postern/check-lock';
/** A process that is being replaced, or a name server that lost a packet, is no change. */
const AGAIN_AFTER_MS = 60_000;
const ANSWER_WITHIN_MS = 60_000;

interface Found {
  readonly findings: readonly PlacedFinding[];
  /** Whether nothing inside could be asked; the line "inside" says so. */
  readonly unreached: boolean;
  readonly storage: Storage | undefined;
}

/** What `postern doctor` finds inside; undefined if it cannot ask. */
const insideFindings = async (): Promise<readonly PlacedFinding[] | undefined> => {
  if (!(await succeeds('systemctl', ['is-active', '--quiet', 'postern-nats.service']))) return undefined;
  try {
    const printed = await administrationOutput(['doctor', '--json', '--no-mail'], ANSWER_WITHIN_MS);
    return (JSON.parse(printed) as { findings: readonly PlacedFinding[] }).findings;
  } catch {
    return undefined;
  }
};

const collect = async (plan: Plan): Promise<Found> => {
  const disk = await checked('disk', async () => diskFinding());
  const measured = measureStorage(plan.model);
  const [server, inside, storage] = await Promise.all([
    serverFindings(plan, measured),
    insideFindings(),
    measured.catch(() => undefined),
  ]);
  const reachable: Finding =
    inside === undefined
      ? {
          check: 'inside',
          verdict: 'bad',
          found: 'NATS or the services do not answer',
          advice: 'See "postern doctor".',
        }
      : { check: 'inside', verdict: 'good', found: `${inside.length} checks` };
  return {
    findings: [...[disk, ...server, reachable].map(finding => ({ place: 'server', ...finding })), ...(inside ?? [])],
    unreached: inside === undefined,
    storage,
  };
};

/** Looks again after a minute if something got worse, and takes what is found then. */
const collectTwice = async (plan: Plan, reported: CheckState, againAfterMs: number): Promise<Found> => {
  const first = await collect(plan);
  const { changes } = compare(reported, first.findings, first.unreached);
  if (againAfterMs === 0 || changes.every(({ after }) => (after?.verdict ?? 'good') === 'good')) return first;
  await pause(againAfterMs);
  return collect(plan);
};

/**
 * `check`: does what `doctor` does, and notifies the operator of what changed since the last notice. What cannot be mailed is
 * reported by the next check. @returns whether nothing failed.
 */
export const check = async (options: { readonly now: boolean }, print: Print): Promise<boolean> => {
  if (isLocked()) {
    print('Another postern command is changing this server, so nothing was checked.');
    return true;
  }
  return withLock(() => checkAndNotify(options.now ? 0 : AGAIN_AFTER_MS, print), LOCK);
};

const checkAndNotify = async (againAfterMs: number, print: Print): Promise<boolean> => {
  const plan = await planOf();
  const { configuration } = plan.model;
  const reported = readJson<CheckState>(STATE) ?? NOTHING_REPORTED;
  const { findings, unreached, storage } = await collectTwice(plan, reported, againAfterMs);
  const { state, changes } = compare(reported, findings, unreached);
  await writeReport(plan, state.lines, storage);
  showFindings(troubles(state.lines), print);
  const failed = troubles(state.lines).filter(({ verdict }) => verdict === 'bad');
  const problems: string[] = [];
  if (changes.length === 0) writeJson(STATE, state);
  else {
    const notice = noticeOf(configuration.host, changes, state.lines);
    const secrets = new SecretStore();
    const relay = relayOf(configuration, secrets.read('relay-password'));
    try {
      await mailNotice(notice, configuration, relay, secrets.read('sandbox-dkim-key'));
      writeJson(STATE, state);
      print(`Notified ${configuration.operator}: ${notice.subject}`);
    } catch (error) {
      problems.push(`${configuration.operator} could not be notified by mail: ${(error as Error).message}`);
      // The counts go on, so that a check that fails for long is noticed.
      writeJson(STATE, { ...reported, unknown: state.unknown });
    }
  }
  const { ping: url } = configuration.check;
  if (url !== undefined) {
    const text = [...failed.map(({ check: name, found }) => `${name}: ${found}`), ...problems].join('\n') || 'all good';
    await ping(url, failed.length + problems.length > 0, text).catch((error: Error) =>
      problems.push(`the ping failed: ${error.message}`),
    );
  }
  for (const problem of problems) print(problem);
  print(`${Object.keys(state.lines).length} lines, ${failed.length} failed, ${changes.length} changed.`);
  return failed.length + problems.length === 0;
};
