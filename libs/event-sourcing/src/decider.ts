import type { DomainEvent } from './event.js';

/**
 * The rules of one kind of aggregate, without I/O. `decide` returns the new events or throws a refusal; `evolve`
 * applies one event to the state and never fails. Neither changes its arguments.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initial: State;
  readonly decide: (command: Command, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
}

/** The state after the events of a history. */
export const fold = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  history: Iterable<{ readonly type: string; readonly data: object }>,
): State => {
  let state = decider.initial;
  for (const { type, data } of history) state = decider.evolve(state, { type, data } as Event);
  return state;
};
