import { deleteVariable, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { NamedValueRepository } from './named-value-repository.js';

/** Deletes a variable of a web service together with its value. */
@Handles(deleteVariable)
export class DeleteVariable {
  constructor(
    private readonly webServices: WebServices,
    private readonly values: NamedValueRepository,
  ) {}

  async execute(request: RequestOf<typeof deleteVariable>): Promise<ReplyOf<typeof deleteVariable>> {
    const { web_service_id, var_id } = request;
    await this.webServices.requireOwner(request, web_service_id);
    await this.values.delete('variables', web_service_id, var_id);
    return { id: var_id, deleted: true };
  }
}
