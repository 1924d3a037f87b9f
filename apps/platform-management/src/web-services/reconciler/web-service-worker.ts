import type { Log } from '@postern/messaging';
import { activeDeployment, type WebService } from '../services/aggregate/state.js';
import type { LeadershipTerm } from './leadership-term.js';
import type { Change, EndReason, Step, UnderWay } from './next-steps.js';
import { Retries } from './retries.js';
import type { StepPlanner } from './step-planner.js';
import type { Task, WebServiceTasks } from './web-service-tasks.js';
import { WorkEnded } from './work-errors.js';

interface RunningTask {
  readonly controller: AbortController;
  readonly done: Promise<void>;
  readonly since: number;
  aborted?: number;
}

/** Maximum rounds of steps in one reconciliation, against endless loops. */
const MAX_ROUNDS = 8;

/** Reconciles one web service. A build runs concurrently with changes; rolls and stops run one after another. */
export class WebServiceWorker {
  #build: (RunningTask & { readonly deploymentId: string }) | undefined;
  #change: (RunningTask & { readonly what: Change }) | undefined;
  #reconciling: Promise<void> | undefined;
  #again = false;
  readonly #retries = new Retries();

  constructor(
    readonly webServiceId: string,
    private readonly planner: StepPlanner,
    private readonly tasks: WebServiceTasks,
    private readonly term: LeadershipTerm,
    private readonly log: Pick<Log, 'error'>,
  ) {}

  get idle(): boolean {
    return !this.#build && !this.#change && !this.#reconciling;
  }

  /** Returns the web service and its roll while a change is in progress. */
  get changing(): readonly string[] {
    if (!this.#change) return [];
    const { what } = this.#change;
    return what.kind === 'roll' ? [this.webServiceId, what.releaseId] : [this.webServiceId];
  }

  /** Executes the next steps. A call during a reconciliation causes another one. */
  reconcile(): void {
    if (this.#reconciling) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#reconciling = this.#reconcile()
      .catch(error => this.#logFailure(error, 'A web service could not be reconciled; it will be retried'))
      .finally(() => {
        this.#reconciling = undefined;
        if (this.#again && !this.term.isOver) this.reconcile();
      });
  }

  /** Aborts work in progress without reporting; the next leader resumes it. */
  async detach(): Promise<void> {
    for (const task of [this.#build, this.#change]) task?.controller.abort(new WorkEnded('leadership'));
    await Promise.allSettled([this.#reconciling, this.#build?.done, this.#change?.done]);
  }

  async #reconcile(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS && !this.term.isOver; round++) {
      const { state, steps } = await this.planner.plan(this.webServiceId, this.#underWay());
      const builds = activeDeployment(state)?.status === 'building' || steps.some(({ kind }) => kind === 'begin-build');
      if (!builds) this.term.slots.release(this.webServiceId);
      let appended = false;
      for (const step of steps) {
        if (this.term.isOver) return;
        appended = (await this.#take(step, state)) || appended;
      }
      if (!appended) return;
    }
  }

  #underWay(): UnderWay {
    const aborted = (task: RunningTask) => (task.aborted === undefined ? {} : { aborted: task.aborted });
    return {
      ...(this.#build ? { build: { deploymentId: this.#build.deploymentId, ...aborted(this.#build) } } : {}),
      ...(this.#change
        ? { change: { ...this.#change.what, since: this.#change.since, ...aborted(this.#change) } }
        : {}),
    };
  }

  /** @returns true if the step appended an event, so that another step may follow immediately. */
  async #take(step: Step, state: WebService): Promise<boolean> {
    switch (step.kind) {
      case 'report':
        await this.tasks.report(this.webServiceId, step.report);
        return true;
      case 'begin-build':
        return this.#beginBuild(step.deploymentId);
      case 'build':
        this.#startBuild(state, step.deploymentId, step.untilMs);
        return false;
      case 'begin-release':
        return this.#beginRelease(state, step.releaseId);
      case 'roll':
        if (state.rolling)
          this.#startChange(this.tasks.roll(state, state.rolling, step.untilMs), {
            kind: 'roll',
            releaseId: step.releaseId,
          });
        return false;
      case 'stop':
        this.#startChange(this.tasks.stop(this.webServiceId), { kind: 'stop' });
        return false;
      case 'remove':
        this.#startChange(this.tasks.remove(this.webServiceId), { kind: 'remove' });
        return false;
      case 'end-build':
        abort(this.#build, step.reason);
        return false;
      case 'end-roll':
        abort(this.#change, step.reason);
        return false;
    }
  }

  async #beginBuild(deploymentId: string): Promise<boolean> {
    const { slots } = this.term;
    if (this.#build || !slots.tryAcquire(this.webServiceId)) return false;
    if (!(await this.tasks.canBegin())) {
      slots.release(this.webServiceId);
      return false;
    }
    await this.tasks.beginBuild(this.webServiceId, deploymentId, slots.taken > 1);
    return true;
  }

  #startBuild(state: WebService, deploymentId: string, untilMs: number): void {
    if (this.#build || !this.#retries.isDue(deploymentId)) return;
    this.term.slots.acquire(this.webServiceId);
    const running = this.#start(this.tasks.build(state, deploymentId, untilMs), () => {
      this.#build = undefined;
      this.term.slots.release(this.webServiceId);
    });
    this.#build = Object.assign(running, { deploymentId });
  }

  async #beginRelease(state: WebService, releaseId: string): Promise<boolean> {
    if (!this.#retries.isDue(releaseId) || !(await this.tasks.canBegin())) return false;
    const task = this.tasks.beginRelease(state, releaseId);
    try {
      await task.run(this.term.lost);
      return true;
    } catch (error) {
      await this.#retryOrGiveUp(task, error);
      return false;
    }
  }

  #startChange(task: Task, what: Change): void {
    if (this.#change || !this.#retries.isDue(task.key)) return;
    const running = this.#start(task, () => {
      this.#change = undefined;
    });
    this.#change = Object.assign(running, { what });
  }

  #start(task: Task, onEnd: () => void): RunningTask {
    const controller = new AbortController();
    const run = async () => {
      try {
        await task.run(controller.signal);
      } catch (error) {
        if (this.term.isOver) return;
        await this.#retryOrGiveUp(task, error).catch(reportError =>
          this.#logFailure(reportError, 'The outcome of work on a web service could not be recorded'),
        );
      }
    };
    // Starts in a later microtask, so that the task is stored before it can end.
    const done = Promise.resolve()
      .then(run)
      .finally(() => {
        onEnd();
        this.term.changes.notify();
        if (!this.term.isOver) this.reconcile();
      });
    return { controller, done, since: Date.now() };
  }

  /** Handles an error that is not a failure of the build or release itself. */
  async #retryOrGiveUp(task: Task, error: unknown): Promise<void> {
    this.#logFailure(error, 'Work on a web service failed');
    if (this.#retries.recordFailure(task.key) === 'retry') return;
    await task.giveUp('internal error; the operator of the platform can find the cause in the log');
  }

  #logFailure(error: unknown, message: string): void {
    if (!this.term.isOver) this.log.error({ err: error, webServiceId: this.webServiceId }, message);
  }
}

function abort(task: RunningTask | undefined, reason: EndReason): void {
  if (!task || task.aborted !== undefined) return;
  task.aborted = Date.now();
  task.controller.abort(new WorkEnded(reason));
}
