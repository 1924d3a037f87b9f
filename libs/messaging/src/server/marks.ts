import type { EventContract, RequestContract } from '@postern/contracts';

/** A method that handles requests of one contract, or events for one consumer. */
export type HandlerMark =
  | { readonly kind: 'request'; readonly method: string | symbol; readonly contract: RequestContract }
  | {
      readonly kind: 'events';
      readonly method: string | symbol;
      readonly contracts: readonly EventContract[];
      readonly consumer: string;
      /** Whether the method writes in the transaction of the position. */
      readonly inTransaction: boolean;
    };

const MARKS = Symbol.for('postern.handlers');

interface Marked {
  readonly [MARKS]?: HandlerMark[];
}

/** Adds a mark to a class; subclasses inherit it. */
export const mark = (target: object, added: HandlerMark): void => {
  const own = Object.hasOwn(target, MARKS) ? (target as Marked)[MARKS] : undefined;
  if (own) own.push(added);
  else Object.defineProperty(target, MARKS, { value: [added] });
};

/** The marks of a class, starting with those of its base classes. */
export const handlerMarks = (type: object): readonly HandlerMark[] => {
  const base: object | null = Object.getPrototypeOf(type);
  const inherited = base ? handlerMarks(base) : [];
  const own = Object.hasOwn(type, MARKS) ? (type as Marked)[MARKS] : undefined;
  return own ? [...inherited, ...own] : inherited;
};
