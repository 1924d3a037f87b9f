import { deleteSecretFile, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { SecretFiles } from './secret-files.js';

/** Deletes a secret file of a web service together with its content. */
@Handles(deleteSecretFile)
export class DeleteSecretFile {
  constructor(
    private readonly webServices: WebServices,
    private readonly files: SecretFiles,
  ) {}

  async execute(request: RequestOf<typeof deleteSecretFile>): Promise<ReplyOf<typeof deleteSecretFile>> {
    const { web_service_id, file_id } = request;
    await this.webServices.requireOwner(request, web_service_id);
    if (!(await this.files.remove(web_service_id, file_id)))
      throw new Refusal('secret_file_not_found', 'there is no such secret file');
    return { id: file_id, deleted: true };
  }
}
