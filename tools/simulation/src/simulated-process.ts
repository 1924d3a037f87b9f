import type { Fault, FaultPlan } from './faults.js';

/** A port call failed; the caller cannot know whether it took effect. */
export class PortFailure extends Error {
  override readonly name = 'PortFailure';
}

const NEVER = new Promise<never>(() => {});

type Method = (...args: unknown[]) => unknown;

/**
 * A process whose port calls have the faults of the plan. After a crash, none of its calls takes effect or returns, and its
 * memory is lost.
 */
export class SimulatedProcess {
  readonly #crashed = Promise.withResolvers<'crashed'>();
  #alive = true;

  constructor(private readonly faults: FaultPlan) {}

  get alive(): boolean {
    return this.#alive;
  }

  /**
   * Wraps a port for this process. `failure` converts a fault to the result of a port that never throws; without it, a
   * failing call throws `PortFailure`.
   */
  connect<Port extends object>(port: Port, failure?: (fault: Fault, answer: unknown) => unknown): Port {
    const methods = new Map<string | symbol, Method>();
    return new Proxy(port, {
      get: (target, name) => {
        const known = methods.get(name);
        if (known) return known;
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const label = `${target.constructor.name}.${String(name)}`;
        const method: Method = (...args) => this.call(label, () => (value as Method).apply(target, args), failure);
        methods.set(name, method);
        return method;
      },
    });
  }

  async call<T>(label: string, effect: () => T | Promise<T>, failure?: (fault: Fault, answer: unknown) => unknown) {
    if (!this.#alive) return NEVER;
    const fault = this.faults.next(label);
    if (fault === 'crashes_before') return this.#crash();
    if (fault === 'fails_before') return failed(label, fault, undefined, failure) as T;
    const answer = await effect();
    if (!this.#alive) return NEVER;
    if (fault === 'crashes_after') return this.#crash();
    if (fault === 'fails_after') return failed(label, fault, answer, failure) as T;
    return answer;
  }

  /** Waits for the end of the work. @returns its result, its error, or `crashed` if the process ended first. */
  async finish<T>(work: Promise<T>): Promise<Outcome<T>> {
    const settled = work.then(
      (value): Outcome<T> => ({ kind: 'done', value }),
      (error: unknown): Outcome<T> => ({ kind: 'failed', error }),
    );
    return Promise.race([settled, this.#crashed.promise.then((kind): Outcome<T> => ({ kind }))]);
  }

  #crash(): Promise<never> {
    this.#alive = false;
    this.#crashed.resolve('crashed');
    return NEVER;
  }
}

export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'crashed' };

function failed(
  label: string,
  fault: Fault,
  answer: unknown,
  failure: ((fault: Fault, answer: unknown) => unknown) | undefined,
): unknown {
  if (failure) return failure(fault, answer);
  throw new PortFailure(`${label} ${fault}`);
}
