const RealDate = Date;

/** Replaces the time of the clock while it is installed; timers stay real. */
export class SimulatedClock {
  now = 0;

  install(): void {
    const clock = this;
    globalThis.Date = class extends RealDate {
      constructor(...given: [] | [value: number | string | Date]) {
        super(given.length === 0 ? clock.now : given[0]);
      }

      static override now(): number {
        return clock.now;
      }
    } as DateConstructor;
  }

  uninstall(): void {
    globalThis.Date = RealDate;
  }
}
