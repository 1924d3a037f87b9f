/** Cleanup steps of a run, executed in reverse order. */
export class Cleanup {
  private readonly steps: (() => unknown)[] = [];
  private running: Promise<void> | undefined;

  push(step: () => unknown): void {
    this.steps.push(step);
  }

  /** Runs every step, even if an earlier one fails; a second call waits for the first. */
  run(): Promise<void> {
    this.running ??= this.unwind();
    return this.running.finally(() => {
      this.running = undefined;
    });
  }

  private async unwind(): Promise<void> {
    for (let step = this.steps.pop(); step; step = this.steps.pop())
      try {
        await step();
      } catch (error) {
        console.error(`while stopping: ${error instanceof Error ? error.message : error}`);
      }
  }
}
