import { z } from 'zod';
import { REPEAT_REFUSALS, requestsOf } from '../request.js';
import { id, noContent } from '../shapes.js';
import { deployment } from './deployments.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management', ['api-gateway']);

/** The largest archive of a source, compressed. */
export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;

/** Bytes of an archive in one request. */
export const UPLOAD_PART_BYTES = 256 * 1024;

const uploadId = z.uuid();
const part = z.int().min(0).max(9_999);
/** Base64. */
const content = z.string().max(Math.ceil(UPLOAD_PART_BYTES / 3) * 4);

/** SHA-256 of the archive in hexadecimal. */
export const uploadDigest = z.string().regex(/^[0-9a-f]{64}$/);

/** Prepares an upload of the web service; its parts follow. What is not deployed within an hour is deleted. */
export const beginSourceUpload = request('begin-source-upload', {
  request: ofWebService.extend({ upload_id: uploadId }),
  reply: noContent,
  refusals: { web_service_not_found: 404, uploads_not_supported: 400, upload_space_full: 409 },
});

/** Stores one part; a repetition changes nothing. */
export const putSourceUploadPart = request('put-source-upload-part', {
  request: z.object({ upload_id: uploadId, part, content }),
  reply: noContent,
  refusals: { upload_not_found: 404 },
});

/** Deletes an upload that is not deployed. */
export const discardSourceUpload = request('discard-source-upload', {
  request: z.object({ upload_id: uploadId }),
  reply: noContent,
});

/** Deploys a complete upload. */
export const deploySourceUpload = request('deploy-source-upload', {
  request: ofWebService.extend({
    upload_id: uploadId,
    digest: uploadDigest,
    size_bytes: z.int().min(1).max(MAX_UPLOAD_BYTES),
    clear_cache: z.boolean().optional(),
  }),
  reply: deployment,
  refusals: {
    web_service_not_found: 404,
    upload_not_found: 404,
    invalid_input: 400,
    service_blocked: 403,
    service_suspended: 403,
    ...REPEAT_REFUSALS,
  },
});

/** For the build; null after the last part. */
export const readSourceUploadPart = requestsOf('platform-management', ['runtime-agent'])('read-source-upload-part', {
  request: z.object({ upload_id: id, part }),
  reply: z.object({ content: content.nullable() }),
});
