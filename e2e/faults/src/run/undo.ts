/** What a run has started, to be stopped in reverse order whatever happens. */
export class Undo {
  private readonly steps: (() => unknown)[] = [];
  private running: Promise<void> | undefined;

  push(step: () => unknown): void {
    this.steps.push(step);
  }

  /** Every step is taken, even where an earlier one fails; calling again waits for the same end. */
  run(): Promise<void> {
    this.running ??= this.unwind();
    return this.running;
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
