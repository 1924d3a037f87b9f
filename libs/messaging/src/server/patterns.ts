import 'reflect-metadata';
import type { EventContract, RequestContract } from '@postern/contracts';

/** The metadata of Nest's patterns, written out so that a program that only sends requests does not load Nest. */
const PATTERN = 'microservices:pattern';
const KIND = 'microservices:handler_type';
const TRANSPORT = 'microservices:transport';
const EXTRAS = 'microservices:pattern_extras';
const PARAMETERS = '__routeArguments__';
const KINDS = { request: 1, events: 2 } as const;
const [PAYLOAD, CONTEXT] = [3, 6];

/** What a handler of events receives. */
export interface EventsOfHandler {
  readonly contracts: readonly EventContract[];
  readonly consumer: string;
  /** Whether the handler writes in the transaction of the position. */
  readonly inTransaction: boolean;
}

/** What a handler receives: requests of one contract, or events for one consumer. */
export type HandlerPattern =
  | { readonly kind: 'request'; readonly contract: RequestContract }
  | ({ readonly kind: 'events' } & EventsOfHandler);

/** The id of the transport in Nest's metadata. */
export const POSTERN_TRANSPORT = Symbol.for('postern.transport');

/** What Nest passes to the strategy of the transport with each handler. */
export interface HandlerExtras {
  readonly pattern: HandlerPattern;
  /** The class and the method, for error messages. */
  readonly owner: string;
}

/** The parameters of a method that receives a batch and the transaction. */
export const TAKES_TRANSACTION = {
  [`${PAYLOAD}:0`]: { index: 0, pipes: [] },
  [`${CONTEXT}:1`]: { index: 1, pipes: [] },
};

/**
 * Adds the metadata of Nest's `MessagePattern` or `EventPattern`.
 * @throws when the class has no such method, or the method has another pattern.
 */
export const markMethod = (
  prototype: object,
  method: string | symbol,
  pattern: HandlerPattern,
  parameters?: object,
): void => {
  const type = prototype.constructor;
  const owner = `${type.name}.${String(method)}`;
  const handler: unknown = Object.getOwnPropertyDescriptor(prototype, method)?.value;
  if (typeof handler !== 'function') throw new Error(`${owner} must be a method of the class to handle messages`);
  if (Reflect.hasOwnMetadata(PATTERN, handler)) throw new Error(`${owner} handles other messages already`);
  const extras: HandlerExtras = { pattern, owner };
  const metadata = {
    [PATTERN]: [pattern.kind === 'request' ? pattern.contract.subject : pattern.consumer],
    [KIND]: KINDS[pattern.kind],
    [TRANSPORT]: POSTERN_TRANSPORT,
    [EXTRAS]: extras,
  };
  for (const [key, value] of Object.entries(metadata)) Reflect.defineMetadata(key, value, handler);
  if (parameters && !Reflect.hasMetadata(PARAMETERS, type, method)) {
    Reflect.defineMetadata(PARAMETERS, parameters, type, method);
  }
};

/** Whether instances of the class have a handler. */
export const handlesMessages = ({ prototype }: { readonly prototype: object }): boolean => {
  for (let own: object | null = prototype; own && own !== Object.prototype; own = Object.getPrototypeOf(own)) {
    const methods = Object.values(Object.getOwnPropertyDescriptors(own));
    if (methods.some(({ value }) => typeof value === 'function' && isHandler(value))) return true;
  }
  return false;
};

const isHandler = (method: object): boolean => Reflect.getOwnMetadata(TRANSPORT, method) === POSTERN_TRANSPORT;
