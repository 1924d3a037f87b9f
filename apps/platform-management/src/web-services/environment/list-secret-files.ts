import { listSecretFiles, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { SecretFiles } from './secret-files.js';

/** Lists the secret files of a web service without their contents. */
@Handles(listSecretFiles)
export class ListSecretFiles {
  constructor(
    private readonly webServices: WebServices,
    private readonly files: SecretFiles,
  ) {}

  async execute(request: RequestOf<typeof listSecretFiles>): Promise<ReplyOf<typeof listSecretFiles>> {
    const { web_service_id } = request;
    await this.webServices.requireOwner(request, web_service_id);
    const files = await this.files.of(web_service_id);
    return files.map(({ id, path, sizeBytes, updatedAt }) => ({
      id,
      path,
      size_bytes: sizeBytes,
      updated_at: updatedAt.toISOString(),
    }));
  }
}
