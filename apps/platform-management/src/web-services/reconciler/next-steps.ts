import type { ReconcilerCommand } from '../services/aggregate/commands.js';
import type { ReleaseSettings } from '../services/aggregate/events.js';
import {
  activeDeployment,
  type Deployment,
  deploymentOf,
  dueRequest,
  isQueued,
  type WebService,
  waitingSuccessor,
} from '../services/aggregate/state.js';

/** Maximum duration of each state, in milliseconds. */
export interface StageDeadlines {
  /** From the request until the deployment starts. */
  readonly queueMs: number;
  readonly buildMs: number;
  readonly releaseMs: number;
  readonly stopMs: number;
  /** Maximum duration of a release while a newer deployment waits for it. */
  readonly preemptMs: number;
  /** Extra time for the runtime to end its own work, because its errors contain the cause. */
  readonly graceMs: number;
}

/** The deadline of a release, whose new instances may have more time by its settings. */
export const releaseMsOf = (
  settings: Pick<ReleaseSettings, 'health_check'> | undefined,
  { releaseMs }: Pick<StageDeadlines, 'releaseMs'>,
): number => releaseMs + (settings?.health_check?.grace_seconds ?? 0) * 1_000;

/** Work in progress for one web service. A build runs concurrently with a change; changes run one at a time. */
export interface UnderWay {
  readonly build?: { readonly deploymentId: string; readonly aborted?: number };
  readonly change?: Change & { readonly since: number; readonly aborted?: number };
}
export type Change = { readonly kind: 'stop' | 'remove' } | { readonly kind: 'roll'; readonly releaseId: string };

export type EndReason = 'cancelled' | 'late';

/** A command of the reconciler without its timestamp. */
export type Report = ReconcilerCommand extends infer Each
  ? Each extends ReconcilerCommand
    ? Omit<Each, 'at'>
    : never
  : never;

export type Step =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'begin-build'; readonly deploymentId: string }
  | { readonly kind: 'build'; readonly deploymentId: string; readonly untilMs: number }
  | { readonly kind: 'begin-release'; readonly releaseId: string }
  | { readonly kind: 'roll'; readonly releaseId: string; readonly untilMs: number }
  | { readonly kind: 'stop' | 'remove' }
  | { readonly kind: 'end-build' | 'end-roll'; readonly reason: EndReason };

/**
 * Returns the next steps of a web service. They depend only on its state and the work in progress, so that a new leader continues
 * where the previous one stopped. Work in progress or a step at a deadline ends every state that is not final.
 */
export const nextSteps = (state: WebService, underWay: UnderWay, nowMs: number, deadlines: StageDeadlines): Step[] => [
  ...buildSteps(state, underWay, nowMs, deadlines),
  ...queueSteps(state, nowMs, deadlines),
  ...changeSteps(state, underWay, nowMs, deadlines),
];

function buildSteps(state: WebService, { build }: UnderWay, nowMs: number, deadlines: StageDeadlines): Step[] {
  const building = state.deployments.findLast(({ status }) => status === 'building');
  if (build && build.deploymentId !== building?.id) return build.aborted ? [] : [{ kind: 'end-build', reason: 'late' }];
  if (!building) return [];
  const untilMs = Date.parse(building.since) + deadlines.buildMs;
  const late = nowMs >= untilMs + (build ? deadlines.graceMs : 0);
  const reason: EndReason | undefined = building.cancellation ? 'cancelled' : late ? 'late' : undefined;
  if (!build) {
    if (reason) return [ended(building, reason, `the build did not finish within ${duration(deadlines.buildMs)}`)];
    return [{ kind: 'build', deploymentId: building.id, untilMs }];
  }
  if (!reason) return [];
  if (build.aborted === undefined) return [{ kind: 'end-build', reason }];
  return overdue(build.aborted, nowMs, deadlines)
    ? [failing(building, 'the platform could not end the build in time')]
    : [];
}

function queueSteps(state: WebService, nowMs: number, deadlines: StageDeadlines): Step[] {
  return state.deployments.filter(isQueued).flatMap((deployment): Step[] => {
    if (nowMs >= Date.parse(deployment.since) + deadlines.queueMs)
      return [failing(deployment, `it waited in the queue for more than ${duration(deadlines.queueMs)}`)];
    if (activeDeployment(state)) return [];
    return deployment.rollbackOf === undefined
      ? [{ kind: 'begin-build', deploymentId: deployment.id }]
      : [{ kind: 'report', report: { kind: 'begin-deployment', deploymentId: deployment.id } }];
  });
}

function changeSteps(state: WebService, underWay: UnderWay, nowMs: number, deadlines: StageDeadlines): Step[] {
  if (state.rolling) return rollSteps(state, state.rolling, underWay, nowMs, deadlines);
  if (state.deleting) return removalSteps(state, underWay);
  if (state.stopping) return stopSteps(underWay, nowMs, deadlines);
  const waiting = waitingReleases(state, nowMs, deadlines);
  if (underWay.change) return waiting.filter(step => step.kind === 'report');
  return waiting;
}

function rollSteps(
  state: WebService,
  rolling: NonNullable<WebService['rolling']>,
  { change }: UnderWay,
  nowMs: number,
  deadlines: StageDeadlines,
): Step[] {
  const isOwn = change?.kind === 'roll' && change.releaseId === rolling.id;
  const releaseMs = releaseMsOf(rolling.settings, deadlines);
  const untilMs = Date.parse(rolling.since) + releaseMs;
  const unwanted =
    state.stopping ||
    state.deleting ||
    deploymentOf(state, rolling.id)?.cancellation ||
    isPreempted(state, Date.parse(rolling.since), nowMs, deadlines);
  const late = nowMs >= untilMs + (isOwn ? deadlines.graceMs : 0);
  const reason: EndReason | undefined = unwanted ? 'cancelled' : late ? 'late' : undefined;
  const releaseId = rolling.id;
  const message = `no instance responded within ${duration(releaseMs)}`;
  if (!isOwn) {
    if (reason === 'cancelled') return [{ kind: 'report', report: { kind: 'abandon-release', releaseId } }];
    if (reason === 'late') return [{ kind: 'report', report: { kind: 'fail-release', releaseId, reason: message } }];
    return change ? [] : [{ kind: 'roll', releaseId, untilMs }];
  }
  if (!reason) return [];
  if (change.aborted === undefined) return [{ kind: 'end-roll', reason }];
  if (!overdue(change.aborted, nowMs, deadlines)) return [];
  return [
    {
      kind: 'report',
      report: { kind: 'fail-release', releaseId, reason: 'the platform could not end the release in time' },
    },
  ];
}

/** A rollback preempts a release immediately, a newer deployment only after the release had time to become healthy. */
function isPreempted(state: WebService, sinceMs: number, nowMs: number, { preemptMs }: StageDeadlines): boolean {
  const successor = waitingSuccessor(state);
  return successor !== undefined && (successor.rollbackOf !== undefined || nowMs >= sinceMs + preemptMs);
}

/** Removes the web service once no other work is in progress, and repeats it until the runtime confirms the removal. */
const removalSteps = (state: WebService, { build, change }: UnderWay): Step[] =>
  build || change || activeDeployment(state) ? [] : [{ kind: 'remove' }];

/** Always attempts a stop, even long after the request; it fails only past its deadline. */
function stopSteps({ change }: UnderWay, nowMs: number, deadlines: StageDeadlines): Step[] {
  if (!change) return [{ kind: 'stop' }];
  if (nowMs < change.since + deadlines.stopMs + deadlines.graceMs) return [];
  const reason = `it could not be stopped within ${duration(deadlines.stopMs)}`;
  return [{ kind: 'report', report: { kind: 'fail-stop', reason } }];
}

/** Starts the oldest waiting release: a start, a restart, or a built deployment. */
function waitingReleases(state: WebService, nowMs: number, deadlines: StageDeadlines): Step[] {
  const active = activeDeployment(state);
  const deployment = active?.status === 'releasing' ? active : undefined;
  const waitMs = 3 * releaseMsOf(state.settings, deadlines) + deadlines.stopMs;
  const late = (since: string) => nowMs >= Date.parse(since) + waitMs;
  const message = `the release could not begin within ${duration(waitMs)}`;
  if (deployment?.cancellation) return [ended(deployment, 'cancelled', '')];
  if (deployment && late(deployment.since)) return [failing(deployment, message)];
  if (state.requested && late(state.requested.since)) {
    return [
      { kind: 'report', report: { kind: 'fail-release', releaseId: state.requested.releaseId, reason: message } },
    ];
  }
  // A restart that begins only if a release serves waits for the deployment; without one, the decider drops it.
  const request = dueRequest(state) ?? (deployment ? undefined : state.requested);
  const waiting = [
    ...(request ? [{ releaseId: request.releaseId, since: request.since }] : []),
    ...(deployment ? [{ releaseId: deployment.id, since: deployment.since }] : []),
  ].sort((a, b) => Date.parse(a.since) - Date.parse(b.since));
  return waiting.slice(0, 1).map(({ releaseId }) => ({ kind: 'begin-release', releaseId }));
}

const overdue = (abortedMs: number, nowMs: number, { stopMs }: StageDeadlines): boolean => nowMs >= abortedMs + stopMs;

const ended = ({ id }: Deployment, reason: EndReason, message: string): Step => ({
  kind: 'report',
  report:
    reason === 'cancelled'
      ? { kind: 'end-cancelled', deploymentId: id }
      : { kind: 'fail-deployment', deploymentId: id, reason: message },
});

const failing = ({ id }: Deployment, reason: string): Step => ({
  kind: 'report',
  report: { kind: 'fail-deployment', deploymentId: id, reason },
});

/** Formats a duration for error messages. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
