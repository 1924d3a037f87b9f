import { listVariables, MASKED_VALUE, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { NamedValueReader } from './named-value-reader.js';

/** Lists the variables of a web service; secret values are masked. */
@Handles(listVariables)
export class ListVariables {
  constructor(
    private readonly webServices: WebServices,
    private readonly values: NamedValueReader,
  ) {}

  async execute(request: RequestOf<typeof listVariables>): Promise<ReplyOf<typeof listVariables>> {
    const { web_service_id } = request;
    await this.webServices.requireOwner(request, web_service_id);
    const values = await this.values.valuesOf(web_service_id);
    return values.map(({ id, key, value = MASKED_VALUE, isSecret }) => ({ id, key, value, is_secret: isSecret }));
  }
}
