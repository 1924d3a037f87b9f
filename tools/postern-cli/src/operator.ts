import {
  OPERATIONS,
  type Operations,
  type ReplyOf,
  type RequestContract,
  type RequestInput,
  SERVICE_NAMES,
  type ServiceName,
} from '@postern/contracts';
import type { NatsLink, RequestClient } from '@postern/messaging';
import { UsageError } from './usage-error.js';

/** What a command works with: the services, and where it writes. */
export interface Operator {
  readonly link: NatsLink;
  readonly requests: RequestClient;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
}

/** An operation that failed at one service, or its reply. */
export type Answered<Name extends keyof Operations> =
  | { readonly service: ServiceName; readonly reply: ReplyOf<Operations[Name]> }
  | { readonly service: ServiceName; readonly failure: string };

export const ask = <Name extends keyof Operations>(
  { requests }: Operator,
  service: ServiceName,
  name: Name,
  request: RequestInput<Operations[Name]>,
): Promise<ReplyOf<Operations[Name]>> => {
  // The contract of a name is one of a union to the compiler, and request and reply go with it.
  const contract: RequestContract = OPERATIONS[service][name];
  return requests.request(contract, request) as Promise<ReplyOf<Operations[Name]>>;
};

/** Asks several services at once; one that is away does not keep the others from answering. */
export const askAll = <Name extends keyof Operations>(
  operator: Operator,
  services: readonly ServiceName[],
  name: Name,
  request: RequestInput<Operations[Name]>,
): Promise<Answered<Name>[]> =>
  Promise.all(
    services.map(service =>
      ask(operator, service, name, request).then(
        reply => ({ service, reply }),
        (error: Error) => ({ service, failure: error.message }),
      ),
    ),
  );

export const serviceNamed = (name: string | undefined): ServiceName => {
  const service = SERVICE_NAMES.find(known => known === name);
  if (!service) throw new UsageError(`there is no service ${name ?? ''}; known are ${SERVICE_NAMES.join(', ')}`);
  return service;
};

/** One service, or all of them where none is named. */
export const servicesNamed = (name: string | undefined): readonly ServiceName[] =>
  name === undefined ? SERVICE_NAMES : [serviceNamed(name)];
