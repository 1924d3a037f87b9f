import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';
import { NEW_SECRET_FILE, SECRET_FILE, SECRET_FILE_DELETION } from './examples.js';
import { bulkResult, deletion } from './variables.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

/** Where instances and commands find their secret files. */
export const SECRET_FILES_FOLDER = '/etc/secrets';

/** A Secret of Kubernetes has at most 1 MiB, with the variables. */
export const MAX_SECRET_FILES_BYTES = 512 * 1024;
export const MAX_SECRET_FILES = 50;

const path = z
  .string()
  .min(1)
  .max(255)
  .overwrite(text => (text.startsWith(`${SECRET_FILES_FOLDER}/`) ? text.slice(SECRET_FILES_FOLDER.length + 1) : text))
  .refine(
    text => /^[\w.-]+(\/[\w.-]+)*$/.test(text),
    `must be a path below ${SECRET_FILES_FOLDER}, such as google.json or tls/key.pem, of letters, digits, _, - and .`,
  )
  .refine(
    text => text.split('/').every(part => part !== '.' && !part.startsWith('..')),
    'must have no part that is . or begins with ..',
  );

/** A secret file of a web service; its content is never returned. */
export const secretFile = z.object({
  id: id.describe('Id of the file.'),
  path: z.string().describe('The path of the file below `/etc/secrets`.'),
  size_bytes: z.int().nonnegative().describe('The size of the content in bytes.'),
  updated_at: timestamp.describe('When the content was last set.'),
});
export type SecretFile = z.output<typeof secretFile>;

const secretFileInput = z.strictObject({
  path: path.describe('The path of the file below `/etc/secrets`, such as `google.json`.'),
  content: z.string().max(1_048_576).describe('The content of the file.'),
  encoding: z
    .enum(['utf8', 'base64'])
    .default('utf8')
    .describe('How `content` is encoded: `base64` for a file that is no text.'),
});

/** Sorted by path. */
export const listSecretFiles = request('list-secret-files', {
  request: ofWebService,
  reply: z.array(secretFile),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'SecretFiles.list',
    method: 'GET',
    path: '/web-services/{web_service_id}/files',
    access: ['platform-key', 'session'],
    summary: 'List the secret files by path, without their contents',
    description: 'Instances and commands find them below `/etc/secrets`, read-only.',
    examples: { reply: [SECRET_FILE] },
  },
});

/** All or nothing; other files are kept. */
export const setSecretFiles = request('set-secret-files', {
  request: ofWebService.extend({
    files: z.array(secretFileInput).min(1).max(MAX_SECRET_FILES).describe('1 to 50 files with different paths.'),
  }),
  reply: bulkResult,
  refusals: { web_service_not_found: 404, invalid_input: 400, runtime_unavailable: 503 },
  http: {
    operation: 'SecretFiles.setAll',
    method: 'PUT',
    path: '/web-services/{web_service_id}/files',
    access: ['platform-key', 'session'],
    summary: 'Create or replace secret files, all or none; others are kept',
    description:
      'A web service has at most 50 secret files of together 512 KiB. The change takes effect at the next start, restart or deployment.',
    examples: { body: { files: [NEW_SECRET_FILE] }, reply: { created: ['google.json'], updated: [] } },
  },
});

export const deleteSecretFile = request('delete-secret-file', {
  request: ofWebService.extend({ file_id: id.describe('Id of the file.') }),
  reply: deletion,
  refusals: { web_service_not_found: 404, secret_file_not_found: 404 },
  http: {
    operation: 'SecretFiles.delete',
    method: 'DELETE',
    path: '/web-services/{web_service_id}/files/{file_id}',
    access: ['platform-key', 'session'],
    summary: 'Delete a secret file',
    description: 'Running instances keep it until the next start, restart or deployment.',
    examples: { reply: SECRET_FILE_DELETION },
  },
});
