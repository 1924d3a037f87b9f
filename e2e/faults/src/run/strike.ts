import { FaultViolation, type PlannedFault } from '../faults/fault.js';
import type { Violation } from '../rules/violation.js';
import { measureRecovery, type Recovery } from '../system/recovery.js';
import type { Step } from './schedule.js';
import type { Stage } from './stage.js';

const READY_WITHIN_S = 30;
/** Upper bound of the stall factor that multiplies the time limits on a slow machine. */
const MAX_STALL = 3;

/** The result of one step. */
export interface StepOutcome {
  readonly atMs: number;
  readonly faults: readonly { readonly name: string; readonly detail: string }[];
  readonly recovery: Recovery;
  readonly violations: readonly Violation[];
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** Begins a fault, waits for its duration, and ends it. @returns the violations that the fault itself detected. */
const strike = async (fault: PlannedFault, stage: Stage): Promise<readonly Violation[]> => {
  const broken = (error: unknown): Violation[] => {
    if (!(error instanceof FaultViolation)) throw error;
    return [{ rule: fault.name, detail: error.message }];
  };
  const violations = [...(await fault.begin(stage).then(() => [], broken))];
  if (fault.holdMs > 0) await pause(fault.holdMs);
  violations.push(...((await fault.end?.(stage).then(() => [], broken)) ?? []));
  return violations;
};

/** Parts that did not recover in time, with the limit multiplied by the stall factor of the machine. */
const lateParts = ({ readyS, webhookS, stall, waitedFor }: Recovery, what: string): readonly Violation[] => {
  const limitS = READY_WITHIN_S * Math.min(stall, MAX_STALL);
  if (readyS === null) return [{ rule: 'not ready again', detail: `after ${what}: ${waitedFor}` }];
  if (webhookS === null) return [{ rule: 'webhook silent', detail: `after ${what}: ${waitedFor}` }];
  const late = readyS > limitS ? ['ready', readyS] : webhookS > limitS ? ['told', webhookS] : undefined;
  if (!late) return [];
  const [part, tookS] = late;
  const limit = `limit ${limitS.toFixed(1)} s at a stall of ${stall.toFixed(2)}`;
  return [{ rule: 'late', detail: `${part} ${Number(tookS).toFixed(1)} s after ${what} (${limit}): ${waitedFor}` }];
};

/** Executes one step and waits for the recovery. */
export const takeStep = async (
  { pauseMs, first, second }: Step,
  stage: Stage,
  beganAt: number,
): Promise<StepOutcome> => {
  await pause(pauseMs);
  const atMs = Date.now() - beganAt;
  const violations = [...(await strike(first, stage))];
  if (second) {
    await pause(second.afterMs);
    violations.push(...(await strike(second.fault, stage)));
  }
  const recovery = await measureRecovery(stage.postern, stage.clients, stage.receiver);
  await first.verify?.(stage);
  await second?.fault.verify?.(stage);
  const faults = [first, ...(second ? [second.fault] : [])].map(({ name, detail }) => ({ name, detail }));
  violations.push(...lateParts(recovery, faults.map(({ name }) => name).join(' + ')));
  return { atMs, faults, recovery, violations };
};
