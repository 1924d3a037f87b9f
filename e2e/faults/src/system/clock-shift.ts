/**
 * Loaded into a service by `node --import`: shifts its wall clock by the milliseconds in the file that POSTERN_FAULTS_CLOCK
 * names. Monotonic clocks do not change, as when a machine's clock is set.
 */
import { readFileSync } from 'node:fs';

const CHECK_EVERY_MS = 200;
const file = process.env['POSTERN_FAULTS_CLOCK'];
const RealDate = Date;
let shiftMs = 0;

const now = (): number => RealDate.now() + shiftMs;

if (file !== undefined) {
  const read = (): void => {
    try {
      shiftMs = Number(readFileSync(file, 'utf8')) || 0;
    } catch {
      shiftMs = 0;
    }
  };
  read();
  setInterval(read, CHECK_EVERY_MS).unref();

  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: target => new target(now()).toString(),
    get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  });
}
