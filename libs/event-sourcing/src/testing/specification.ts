import { expect } from '@jest/globals';
import { type Decider, fold } from '../decider.js';
import type { DomainEvent } from '../event.js';

interface Outcome<Event extends DomainEvent> {
  /** The decider returns exactly these events. */
  yields(...events: readonly Event[]): void;
  /** The decider throws a refusal with this code; `message` is a part of its message. */
  refuses(code: string, message?: string): void;
}

/**
 * Examples of a decider in the form `given(history).when(command).yields(events)`.
 * @returns `given` for one decider.
 */
export const specificationOf =
  <State, Command, Event extends DomainEvent>(decider: Decider<State, Command, Event>) =>
  (...history: readonly Event[]) => ({
    when: (command: Command): Outcome<Event> => {
      const decide = () => decider.decide(command, fold(decider, history));
      return {
        yields: (...events) => expect(decide()).toEqual(events),
        refuses: (code, message = '') => {
          let refusal: unknown;
          try {
            decide();
          } catch (error) {
            refusal = error;
          }
          expect(refusal).toMatchObject({ code, message: expect.stringContaining(message) });
        },
      };
    },
  });
