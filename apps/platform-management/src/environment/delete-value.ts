import { Injectable } from '@nestjs/common';
import { Ownership, ValueLedger } from './ports.js';

/** Deletes a variable or a secret; its value is forgotten with it. */
@Injectable()
export class DeleteValue {
  constructor(
    private readonly ownership: Ownership,
    private readonly ledger: ValueLedger,
  ) {}

  async ofWebService(userId: string, webServiceId: string, variableId: string): Promise<void> {
    await this.ownership.ofWebService(userId, webServiceId);
    await this.ledger.delete('variables', webServiceId, variableId);
  }

  async ofProject(userId: string, projectId: string, secretId: string): Promise<void> {
    await this.ownership.ofProject(userId, projectId);
    await this.ledger.delete('project_secrets', projectId, secretId);
  }
}
