const RealDate = Date;
const realNow = performance.now;

/** Replaces the clocks of the process, of the day and monotonic, while it is installed; timers stay real. */
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
    performance.now = () => clock.now;
  }

  uninstall(): void {
    globalThis.Date = RealDate;
    performance.now = realNow;
  }
}
