import { listVariables, MASKED_VALUE, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServiceOwners } from '../services/ports.js';
import { NamedValueReader } from './ports.js';

/** Lists the variables of a web service; secret values are masked. */
@Handles(listVariables)
export class ListVariables {
  constructor(
    private readonly webServices: WebServiceOwners,
    private readonly values: NamedValueReader,
  ) {}

  async execute(request: RequestOf<typeof listVariables>): Promise<ReplyOf<typeof listVariables>> {
    const { web_service_id } = request;
    await this.webServices.requireOwner(request, web_service_id);
    const values = await this.values.valuesOf(web_service_id);
    return values.map(({ id, key, value = MASKED_VALUE, isSecret }) => ({ id, key, value, is_secret: isSecret }));
  }
}
