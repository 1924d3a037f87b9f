/** Maximum time and number of tasks in one turn of the event loop. */
export interface TurnLimits {
  readonly ms: number;
  readonly tasks: number;
}

const DEFAULT_LIMITS: TurnLimits = { ms: 2, tasks: 8 };

/**
 * Runs tasks in order, a few in each turn of the event loop, so that a burst does not delay other work. Without a
 * burst, a task runs immediately.
 */
export class YieldingQueue {
  private waiting: (() => void)[] = [];
  private usedMs = 0;
  private usedTasks = 0;
  private isTurnEnding = false;

  constructor(private readonly limits: TurnLimits = DEFAULT_LIMITS) {}

  /** @param mayPass whether the task may overtake waiting tasks; called only during a burst. */
  run(task: () => void, mayPass: () => boolean = () => false): void {
    if (this.waiting.length === 0 && this.hasTime) this.runNow(task);
    else if (mayPass()) task();
    else this.waiting.push(task);
  }

  private get hasTime(): boolean {
    return this.usedTasks < this.limits.tasks && this.usedMs < this.limits.ms;
  }

  private runNow(task: () => void): void {
    if (!this.isTurnEnding) {
      this.isTurnEnding = true;
      setImmediate(this.nextTurn);
    }
    const begun = performance.now();
    this.usedTasks += 1;
    try {
      task();
    } finally {
      this.usedMs += performance.now() - begun;
    }
  }

  private readonly nextTurn = (): void => {
    this.isTurnEnding = false;
    this.usedMs = 0;
    this.usedTasks = 0;
    const { waiting } = this;
    if (waiting.length === 0) return;
    let next = 0;
    try {
      while (next < waiting.length && this.hasTime) this.runNow(waiting[next++] as () => void);
    } finally {
      this.waiting = waiting.slice(next);
    }
  };
}
