import type { DomainEvent } from './event.js';

/** Translates an event of an older version into its next form; stored events are never changed. */
export type Upcaster = (data: object) => DomainEvent;

/** By the type that is stored. */
export type Upcasters = Readonly<Record<string, Upcaster>>;

/** Applies upcasters until the event has its current form. */
export const upcast = <Stored extends DomainEvent>(event: Stored, upcasters: Upcasters): Stored => {
  let current = event;
  for (let next = upcasters[current.type]; next; next = upcasters[current.type]) {
    const { type, data } = next(current.data);
    if (type === current.type) return { ...current, data };
    current = { ...current, type, data };
  }
  return current;
};
