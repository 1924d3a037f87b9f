import { activeDeployment, type WebService } from '../web-services/aggregate/state.js';
import type { BuildSlots } from './build-slots.js';
import type { LaneSupplies } from './lane-supplies.js';
import { type Change, type EndReason, nextSteps, type Step, type UnderWay } from './next-steps.js';
import { Ended } from './service-work.js';

/** What all lanes of one leader share. */
export interface LaneParts extends LaneSupplies {
  readonly slots: BuildSlots;
  /** Resolves while nobody looks at all of the runtime at once. */
  readonly gate: () => Promise<void>;
  /** Makes room before a build, when nothing is being built. */
  readonly tidy: () => Promise<void>;
  /** Aborted when this process leads no longer. */
  readonly lost: AbortSignal;
  /** Called when something under way has ended: there may be more to do, here and elsewhere. */
  readonly wake: () => void;
}

interface Task {
  readonly controller: AbortController;
  readonly done: Promise<void>;
  readonly since: number;
  aborted?: number;
}

/** Tries before what nobody foresaw counts as a failure, and the pause between them. */
const TRIES = 3;
const PAUSE_MS = 2_000;
/** Steps that follow from each other within one look; more would be a circle. */
const ROUNDS = 8;

/** Drives one web service: a build in one lane, and rolls and stops strictly one after another in the other. */
export class ServiceLane {
  #build: (Task & { readonly deploymentId: string }) | undefined;
  #change: (Task & { readonly what: Change }) | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  readonly #stumbles = new Map<string, { count: number; notBefore: number }>();

  constructor(
    readonly webServiceId: string,
    private readonly parts: LaneParts,
  ) {}

  get idle(): boolean {
    return !this.#build && !this.#change && !this.#looking;
  }

  get changing(): boolean {
    return this.#change !== undefined;
  }

  get rollId(): string | undefined {
    return this.#change?.what.kind === 'roll' ? this.#change.what.releaseId : undefined;
  }

  /** Does what is to be done now. Calls while it looks are one more look. */
  look(): void {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#looking = this.#look()
      .catch(error => this.#logFailure(error, 'A web service could not be driven; trying again'))
      .finally(() => {
        this.#looking = undefined;
        if (this.#again && !this.parts.lost.aborted) this.look();
      });
  }

  /** Ends what is under way without a word about it: the next leader takes it up. */
  async letGo(): Promise<void> {
    for (const task of [this.#build, this.#change]) task?.controller.abort(new Ended('leadership'));
    await Promise.allSettled([this.#looking, this.#build?.done, this.#change?.done]);
  }

  async #look(): Promise<void> {
    for (let round = 0; round < ROUNDS && !this.parts.lost.aborted; round++) {
      const state = await this.parts.ledger.stateOf(this.webServiceId);
      const steps = nextSteps(state, this.#underWay(), Date.now(), this.parts.settings.deadlines);
      const builds = activeDeployment(state)?.status === 'building' || steps.some(({ kind }) => kind === 'begin-build');
      if (!builds) this.parts.slots.leave(this.webServiceId);
      let moved = false;
      for (const step of steps) {
        if (this.parts.lost.aborted) return;
        moved = (await this.#take(step, state)) || moved;
      }
      if (!moved) return;
    }
  }

  #underWay(): UnderWay {
    const aborted = (task: Task) => (task.aborted === undefined ? {} : { aborted: task.aborted });
    return {
      ...(this.#build ? { build: { deploymentId: this.#build.deploymentId, ...aborted(this.#build) } } : {}),
      ...(this.#change
        ? { change: { ...this.#change.what, since: this.#change.since, ...aborted(this.#change) } }
        : {}),
    };
  }

  /** True when there is an event more, so that the next step may follow at once. */
  async #take(step: Step, state: WebService): Promise<boolean> {
    const { work, slots } = this.parts;
    switch (step.kind) {
      case 'report':
        await work.report(this.webServiceId, step.report);
        return true;
      case 'begin-build':
        if (this.#build || !slots.tryTake(this.webServiceId)) return false;
        if (slots.taken === 1) await this.parts.tidy();
        await work.report(this.webServiceId, { kind: 'begin-deployment', deploymentId: step.deploymentId });
        return true;
      case 'build':
        this.#startBuild(state, step.deploymentId, step.untilMs);
        return false;
      case 'begin-release':
        if (!this.#mayTry(step.releaseId)) return false;
        return this.#beginRelease(state, step.releaseId);
      case 'roll':
        this.#startRoll(state, step.releaseId, step.untilMs);
        return false;
      case 'stop':
        this.#startStop();
        return false;
      case 'end-build':
        this.#end(this.#build, step.reason);
        return false;
      case 'end-roll':
        this.#end(this.#change, step.reason);
        return false;
    }
  }

  #startBuild(state: WebService, deploymentId: string, untilMs: number): void {
    if (this.#build || !this.#mayTry(deploymentId)) return;
    this.parts.slots.take(this.webServiceId);
    const task = this.#task(
      async signal => {
        await this.parts.gate();
        await this.parts.work.build(state, deploymentId, untilMs, signal);
      },
      error =>
        this.#stumble(deploymentId, error, reason =>
          this.parts.work.report(this.webServiceId, { kind: 'fail-deployment', deploymentId, reason }),
        ),
      () => {
        this.#build = undefined;
        this.parts.slots.leave(this.webServiceId);
      },
    );
    this.#build = Object.assign(task, { deploymentId });
  }

  #startRoll(state: WebService, releaseId: string, untilMs: number): void {
    const { rolling } = state;
    if (this.#change || !rolling || !this.#mayTry(releaseId)) return;
    const task = this.#task(
      async signal => {
        await this.parts.gate();
        await this.parts.work.roll(state, rolling, untilMs, signal);
      },
      error => this.#stumble(releaseId, error, reason => this.#failRelease(releaseId, reason)),
      () => {
        this.#change = undefined;
      },
    );
    this.#change = Object.assign(task, { what: { kind: 'roll', releaseId } as const });
  }

  #startStop(): void {
    const key = 'stop';
    if (this.#change || !this.#mayTry(key)) return;
    const task = this.#task(
      async signal => {
        await this.parts.gate();
        await this.parts.work.stop(this.webServiceId, () => !signal.aborted);
      },
      error =>
        this.#stumble(key, error, reason =>
          this.parts.work.report(this.webServiceId, {
            kind: 'fail-stop',
            reason: `it could not be stopped: ${reason}`,
          }),
        ),
      () => {
        this.#change = undefined;
      },
    );
    this.#change = Object.assign(task, { what: { kind: 'stop' } as const });
  }

  async #beginRelease(state: WebService, releaseId: string): Promise<boolean> {
    try {
      await this.parts.work.beginRelease(state, releaseId);
      return true;
    } catch (error) {
      await this.#stumble(releaseId, error, reason =>
        state.requested?.releaseId === releaseId
          ? this.#failRelease(releaseId, reason)
          : this.parts.work.report(this.webServiceId, { kind: 'fail-deployment', deploymentId: releaseId, reason }),
      );
      return false;
    }
  }

  #failRelease(releaseId: string, reason: string): Promise<unknown> {
    return this.parts.work.report(this.webServiceId, { kind: 'fail-release', releaseId, reason });
  }

  #task(
    work: (signal: AbortSignal) => Promise<void>,
    failed: (error: unknown) => Promise<unknown>,
    ended: () => void,
  ): Task {
    const controller = new AbortController();
    const run = async () => {
      try {
        await work(controller.signal);
      } catch (error) {
        if (this.parts.lost.aborted) return;
        await failed(error).catch(again =>
          this.#logFailure(again, 'What became of a web service could not be recorded'),
        );
      }
    };
    // A turn later, so that the task is known to be under way before it can end.
    const done = Promise.resolve()
      .then(run)
      .finally(() => {
        ended();
        this.parts.wake();
        if (!this.parts.lost.aborted) this.look();
      });
    return { controller, done, since: Date.now() };
  }

  #end(task: Task | undefined, reason: EndReason): void {
    if (!task || task.aborted !== undefined) return;
    task.aborted = Date.now();
    task.controller.abort(new Ended(reason));
  }

  #mayTry(what: string): boolean {
    return Date.now() >= (this.#stumbles.get(what)?.notBefore ?? 0);
  }

  /** Something that is neither a build's nor a release's own failure: tried again a few times, then said. */
  async #stumble(what: string, error: unknown, giveUp: (reason: string) => Promise<unknown>): Promise<void> {
    const count = (this.#stumbles.get(what)?.count ?? 0) + 1;
    this.#logFailure(error, 'Driving a web service failed');
    if (count < TRIES) {
      this.#stumbles.set(what, { count, notBefore: Date.now() + PAUSE_MS });
      return;
    }
    this.#stumbles.delete(what);
    await giveUp('the platform failed to carry this out; its operator finds the cause in the log');
  }

  #logFailure(error: unknown, message: string): void {
    if (!this.parts.lost.aborted) this.parts.log.error({ err: error, webServiceId: this.webServiceId }, message);
  }
}
