import type { DomainEvent } from './event.js';

/** Turns an event as an older release wrote it into its next form; the store itself is never rewritten. */
export type Upcaster = (data: object) => DomainEvent;

/** By the type that is read. */
export type Upcasters = Readonly<Record<string, Upcaster>>;

/** Follows the upcasters until the event has the form that today's code knows. */
export const upcast = <Stored extends DomainEvent>(event: Stored, upcasters: Upcasters): Stored => {
  let current = event;
  for (let next = upcasters[current.type]; next; next = upcasters[current.type]) {
    const { type, data } = next(current.data);
    if (type === current.type) return { ...current, data };
    current = { ...current, type, data };
  }
  return current;
};
