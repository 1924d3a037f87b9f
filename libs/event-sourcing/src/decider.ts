import type { DomainEvent } from './event.js';

/**
 * The rules of one kind of aggregate, free of every technology. `decide` yields what happens or throws a refusal;
 * `evolve` folds one event into the state and never fails. Neither changes what it is given.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initial: State;
  readonly decide: (command: Command, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
}

/** The state that a history leads to. */
export const fold = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  history: Iterable<{ readonly type: string; readonly data: object }>,
): State => {
  let state = decider.initial;
  for (const { type, data } of history) state = decider.evolve(state, { type, data } as Event);
  return state;
};
