import { Injectable } from '@nestjs/common';
import * as contracts from '@postern/contracts';
import {
  type AdmittedRead,
  admitPlatformCall,
  type CallerField,
  callerFieldsOf,
  isRequestContract,
  Refusal,
  type RequestContract,
  type RequestOf,
} from '@postern/contracts';
import { RequestHandlers } from '@postern/messaging';
import { z } from 'zod';
import type { AdmittedKey } from './platform-calls.js';

type RequestedRead = NonNullable<RequestOf<typeof admitPlatformCall>['read']>;

interface Read {
  readonly contract: RequestContract;
  readonly fields: readonly (readonly [field: string, from: CallerField])[];
}

const fieldNamesOf = ({ request }: RequestContract) =>
  request instanceof z.ZodObject ? Object.keys(request.shape) : [];

const READS: ReadonlyMap<string, Read> = new Map(
  Object.values<unknown>(contracts)
    .filter(isRequestContract)
    .filter(({ service }) => service === admitPlatformCall.service)
    .flatMap(contract =>
      contract.http
        .filter(({ withAdmission }) => withAdmission)
        .map(route => [contract.name, { contract, fields: callerFieldsOf(fieldNamesOf(contract), route) }]),
    ),
);

/** Answers the read requests of admitted calls, for their callers. */
@Injectable()
export class AdmittedReads {
  constructor(private readonly handlers: RequestHandlers) {}

  /**
   * Returns the reply to a read request. Undefined if the request is unknown or invalid, or fails: then the gateway sends it separately
   * and reports the error.
   */
  async get({ name, request }: RequestedRead, key: AdmittedKey): Promise<AdmittedRead | undefined> {
    const read = READS.get(name);
    if (!read) return undefined;
    try {
      return { ok: await this.handlers.answer(read.contract, { ...request, ...callerOf(key, read.fields) }) };
    } catch (error) {
      if (!Refusal.is(error)) return undefined;
      const { code, message, details } = error;
      return { refusal: { code, message, details, status: read.contract.refusals[code] } };
    }
  }
}

const callerOf = (
  { userId, workspaceId, projects }: AdmittedKey,
  fields: Read['fields'],
): Readonly<Record<string, unknown>> => {
  const caller: Readonly<Partial<Record<CallerField, unknown>>> = {
    userId,
    workspaceId,
    projectIds: projects ?? undefined,
  };
  return Object.fromEntries(fields.map(([field, from]) => [field, caller[from]]));
};
