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
import { UsageError } from '../errors.js';

/** The connections, environment and output of a command. */
export interface Operator {
  readonly link: NatsLink;
  readonly requests: RequestClient;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  /** Sets the id of the created resource in the audit log entry. */
  readonly affects?: (id: string) => void;
}

/** The reply of one service to an operation, or its failure. */
export type ServiceResult<Name extends keyof Operations> =
  | { readonly service: ServiceName; readonly reply: ReplyOf<Operations[Name]> }
  | { readonly service: ServiceName; readonly failure: string };

/** Sends an operations request to one service. */
export const requestOperation = <Name extends keyof Operations>(
  { requests }: Operator,
  service: ServiceName,
  name: Name,
  request: RequestInput<Operations[Name]>,
): Promise<ReplyOf<Operations[Name]>> => {
  // TypeScript cannot relate the union of contracts to the request and reply of one name.
  const contract: RequestContract = OPERATIONS[service][name];
  return requests.request(contract, request) as Promise<ReplyOf<Operations[Name]>>;
};

/** Sends an operations request to several services concurrently; a failing service does not affect the others. */
export const requestFromAll = <Name extends keyof Operations>(
  operator: Operator,
  services: readonly ServiceName[],
  name: Name,
  request: RequestInput<Operations[Name]>,
): Promise<ServiceResult<Name>[]> =>
  Promise.all(
    services.map(service =>
      requestOperation(operator, service, name, request).then(
        reply => ({ service, reply }),
        (error: Error) => ({ service, failure: error.message }),
      ),
    ),
  );

/** @throws UsageError for an unknown service. */
export const serviceNamed = (name: string | undefined): ServiceName => {
  const service = SERVICE_NAMES.find(known => known === name);
  if (!service) throw new UsageError(`unknown service: ${name ?? ''}. The services are ${SERVICE_NAMES.join(', ')}`);
  return service;
};

/** The named service, or all services without a name. */
export const servicesNamed = (name: string | undefined): readonly ServiceName[] =>
  name === undefined ? SERVICE_NAMES : [serviceNamed(name)];
