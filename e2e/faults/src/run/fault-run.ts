import type { Cleanup } from '@postern/testing';
import { ALL_FAULTS } from '../faults/all-faults.js';
import type { FaultOptions } from '../options.js';
import type { Violation } from '../rules/violation.js';
import { preload } from '../system/preload.js';
import { removeAbandonedRuns } from '../system/run-folder.js';
import { writeReport } from './json-report.js';
import { MemoryWatch } from './memory-watch.js';
import { memoryTable, planLine, STEP_HEAD, stepLine, trafficTable, violationList } from './print.js';
import { schedule } from './schedule.js';
import { settle } from './settle.js';
import { type Stage, setStage } from './stage.js';
import { type StepOutcome, takeStep } from './strike.js';

const WARM_UP_MS = 3_000;
const SETTLES_WITHIN_MS = 180_000;
const PLANNED_STEPS = 60;

const wanted = ({ only }: FaultOptions) =>
  ALL_FAULTS.filter(({ name }) => only.length === 0 || only.some(part => name.includes(part)));

export const printPlan = (options: FaultOptions): void => {
  const steps = schedule(wanted(options), options.seed);
  for (let number = 1; number <= Math.min(PLANNED_STEPS, options.faults); number++)
    console.log(planLine(steps.next().value, number));
};

const possible = (options: FaultOptions, stage: Stage) =>
  wanted(options).filter(fault => {
    const why = fault.unavailable?.(stage);
    if (why !== undefined) console.log(`▸ not tried: ${fault.name}: ${why}`);
    return why === undefined;
  });

const allSteps = async (options: FaultOptions, stage: Stage): Promise<StepOutcome[]> => {
  const outcomes: StepOutcome[] = [];
  const beganAt = Date.now();
  const endsAt = beganAt + options.minutes * 60_000;
  let faults = 0;
  console.log(STEP_HEAD);
  for (const step of schedule(possible(options, stage), options.seed)) {
    if (Date.now() >= endsAt || faults >= options.faults) return outcomes;
    const outcome = await takeStep(step, stage, beganAt);
    outcomes.push(outcome);
    faults += outcome.faults.length;
    console.log(stepLine(outcome));
    if (outcome.recovery.readyS === null || outcome.recovery.webhookS === null) {
      console.log('       ▸ helped: everything is started anew');
      await stage.postern.stop();
      await stage.postern.start();
    }
  }
  return outcomes;
};

/** Executes one run. @returns all violations. */
export const faultRun = async (options: FaultOptions, cleanup: Cleanup): Promise<readonly Violation[]> => {
  for (const folder of await removeAbandonedRuns()) console.log(`▸ removed what an earlier run left in ${folder}`);
  console.log(`▸ seed ${options.seed}, ${options.perSecond} messages a second, ${options.minutes} minutes`);
  const stage = await setStage(options, cleanup);
  const memory = new MemoryWatch(stage.postern);
  cleanup.push(() => memory.stop());
  if (options.preload > 0) {
    console.log(`▸ putting ${options.preload} old events into the log of email-send`);
    await preload(stage, options.preload);
  }
  stage.clients.start();
  await new Promise(resolve => setTimeout(resolve, WARM_UP_MS));
  const outcomes = await allSteps(options, stage);

  console.log('▸ waiting for everything to settle');
  const broken = outcomes.flatMap(({ violations }) => violations);
  const settled = await settle(stage, SETTLES_WITHIN_MS).catch((error: Error) => {
    broken.push({ rule: 'not comparable', detail: error.message });
    return undefined;
  });
  memory.stop();
  const violations = [...broken, ...memory.violations(), ...(settled?.violations ?? [])];
  const faults = outcomes.reduce((sum, outcome) => sum + outcome.faults.length, 0);
  const slowest = Math.max(0, ...outcomes.map(({ recovery }) => recovery.readyS ?? Number.POSITIVE_INFINITY));
  console.log(`\n${faults} faults, slowest recovery ${slowest.toFixed(1)} s`);
  if (settled) console.log(`settled after ${settled.seconds.toFixed(0)} s\n\n${trafficTable(stage.traffic, settled)}`);
  console.log(`\n${memoryTable(memory.trends())}`);
  console.log(violations.length === 0 ? '\nNo violations.' : `\n${violationList(violations)}`);
  if (options.json !== undefined)
    await writeReport(options.json, stage, { options, outcomes, settled, memory: memory.trends(), violations });
  return violations;
};
