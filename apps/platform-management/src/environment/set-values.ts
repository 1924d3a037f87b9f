import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Collection, Scope } from './named-values.js';
import { Ownership, type SetValue, ValueLedger } from './ports.js';

export interface GivenValue {
  readonly key: string;
  readonly value: string;
  readonly scope?: Scope | undefined;
  readonly is_secret?: boolean | undefined;
}

/** Sets variables of a web service or secrets of a project; all of them or none. */
@Injectable()
export class SetValues {
  constructor(
    private readonly ownership: Ownership,
    private readonly ledger: ValueLedger,
  ) {}

  async ofWebService(
    userId: string,
    webServiceId: string,
    values: readonly GivenValue[],
  ): Promise<readonly SetValue[]> {
    await this.ownership.ofWebService(userId, webServiceId);
    return this.#set('variables', webServiceId, values);
  }

  async ofProject(userId: string, projectId: string, values: readonly GivenValue[]): Promise<readonly SetValue[]> {
    await this.ownership.ofProject(userId, projectId);
    return this.#set('project_secrets', projectId, values);
  }

  #set(collection: Collection, ownerId: string, values: readonly GivenValue[]): Promise<readonly SetValue[]> {
    return this.ledger.set(
      collection,
      ownerId,
      values.map(({ key, value, scope, is_secret }) => ({ id: uuidv7(), key, value, scope, isSecret: is_secret })),
    );
  }
}

/** The keys of a bulk change, in its order. */
export const bulkResultOf = (values: readonly SetValue[]): { created: string[]; updated: string[] } => ({
  created: values.filter(({ created }) => created).map(({ key }) => key),
  updated: values.filter(({ created }) => !created).map(({ key }) => key),
});
