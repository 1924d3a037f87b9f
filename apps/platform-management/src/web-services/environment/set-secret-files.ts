import { type ReplyOf, type RequestOf, setSecretFiles } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { WebServices } from '../services/web-services.projection.js';
import { type FileToSet, SecretFiles } from './secret-files.js';

type Request = RequestOf<typeof setSecretFiles>;

/** Creates or replaces secret files of a web service atomically. */
@Handles(setSecretFiles)
export class SetSecretFiles {
  constructor(
    private readonly webServices: WebServices,
    private readonly files: SecretFiles,
    private readonly runtime: Runtime,
  ) {}

  async execute(request: Request): Promise<ReplyOf<typeof setSecretFiles>> {
    const { web_service_id } = request;
    await this.webServices.requireOwner(request, web_service_id);
    const files = request.files.map(fileToSet);
    const paths = files.map(({ path }) => path);
    const repeated = paths.findIndex((path, place) => paths.indexOf(path) !== place);
    if (repeated !== -1)
      throw new Refusal('invalid_input', `files[${repeated}].path: ${paths[repeated]} is duplicated`);
    if (!(await this.runtime.features()).has('secretFiles'))
      throw new Refusal('invalid_input', 'files: this installation does not support secret files');
    const known = await this.files.set(web_service_id, files);
    return { created: paths.filter(path => !known.has(path)), updated: paths.filter(path => known.has(path)) };
  }
}

const fileToSet = ({ path, content, encoding }: Request['files'][number], place: number): FileToSet => {
  if (encoding === 'base64') {
    const bytes = Buffer.from(content, 'base64');
    if (bytes.toString('base64').replace(/=+$/, '') !== content.replace(/\s/g, '').replace(/=+$/, ''))
      throw new Refusal('invalid_input', `files[${place}].content: must be base64`);
    return { path, content: bytes };
  }
  if (!content.isWellFormed())
    throw new Refusal('invalid_input', `files[${place}].content: must be well-formed Unicode; use the encoding base64`);
  return { path, content: Buffer.from(content, 'utf8') };
};
