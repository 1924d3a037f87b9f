import { randomUUID } from 'node:crypto';
import { Controller, HttpCode, Param, Post, Query, Req, Res, type Type, UseInterceptors } from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import {
  admissionOf,
  BASE_PATHS,
  beginSourceUpload,
  createDeployment,
  deploySourceUpload,
  discardSourceUpload,
  MAX_UPLOAD_BYTES,
  putSourceUploadPart,
  type RequestInput,
} from '@postern/contracts';
import { KeyedSlots } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../infrastructure/http/access/caller.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { AuditInterceptor } from '../infrastructure/http/audit/audit.interceptor.js';
import { badRequest, Problem } from '../infrastructure/http/errors/problem.js';
import { repeatable } from '../infrastructure/http/idempotency/repeatable.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { ARCHIVE_BODY } from '../infrastructure/http/server/body-kinds.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { StreamedBody } from '../infrastructure/http/validation/streamed-body.js';
import { ServiceClient, type ServiceContext } from '../infrastructure/service-client/ports.js';
import { type ReceivedArchive, readArchive } from './upload-reader.js';

const [route] = createDeployment.http;
const PATH = 'web-services/:web_service_id/deployments';
const parameters = z.object({ web_service_id: z.uuid() });
const query = queryShape({ clear_cache: z.enum(['true', 'false']).optional() });

/** Uploads of a workspace, and of all together, that a gateway receives at a time. */
const AT_ONCE = { workspace: 2, all: 8 };

interface Upload extends ReceivedArchive {
  readonly uploadId: string;
}

/** The route of deployments for bodies that are archives of the source. */
const sourceUploadsController = (access: 'platform-key' | 'session'): Type => {
  @Controller(BASE_PATHS[access])
  class SourceUploadsController {
    readonly #slots = new KeyedSlots({ running: AT_ONCE.workspace, waiting: 0 });
    #underWay = 0;

    constructor(private readonly services: ServiceClient) {}

    @Post(PATH)
    @RouteConstraints(ARCHIVE_BODY)
    @HttpCode(202)
    @UseInterceptors(AuditInterceptor)
    @Admits({ ...admissionOf(route!, access), maxBodyBytes: MAX_UPLOAD_BYTES, isStreamed: true })
    @Describes({ requests: [deploySourceUpload], summary: route!.summary, isAlternative: true })
    async upload(
      @Req() request: FastifyRequest,
      @Res({ passthrough: true }) response: FastifyReply,
      @Param({ schema: parameters }) { web_service_id }: z.output<typeof parameters>,
      @Query({ schema: query }) { clear_cache }: { readonly clear_cache?: 'true' | 'false' },
    ): Promise<unknown> {
      const { body } = request;
      if (!(body instanceof StreamedBody))
        throw badRequest('The body is empty: send a gzipped tar archive.', 'invalid_archive');
      const caller = callerOf(request);
      const of = {
        user_id: caller.userId,
        workspace_id: caller.workspaceId,
        ...(caller.projectIds && { project_ids: [...caller.projectIds] }),
        web_service_id,
      };
      const { uploadId, digest, sizeBytes } = await this.#inSlot(caller.workspaceId, () =>
        this.#receive(body, of, caller),
      );
      body.digest = digest;
      const deployed = {
        ...of,
        upload_id: uploadId,
        digest,
        size_bytes: sizeBytes,
        clear_cache: clear_cache === 'true',
      };
      return repeatable(request, response, repetition =>
        this.services.request(deploySourceUpload, deployed, { ...caller, ...repetition }),
      );
    }

    async #receive(
      body: StreamedBody,
      of: Omit<RequestInput<typeof beginSourceUpload>, 'upload_id'>,
      context: ServiceContext,
    ): Promise<Upload> {
      const uploadId = randomUUID();
      const upload_id = uploadId;
      await this.services.request(beginSourceUpload, { ...of, upload_id }, context);
      try {
        const received = await readArchive(body, async (part, content) => {
          const text = content.toString('base64');
          await this.services.request(putSourceUploadPart, { upload_id, part, content: text }, context);
        });
        return { ...received, uploadId };
      } catch (error) {
        // What could not be deleted now is deleted after two hours.
        await this.services.request(discardSourceUpload, { upload_id }, context).catch(() => undefined);
        throw error;
      }
    }

    async #inSlot<Result>(workspaceId: string, receive: () => Promise<Result>): Promise<Result> {
      if (this.#underWay >= AT_ONCE.all) throw busy(503, 'Too many uploads at once. Try again.');
      this.#underWay += 1;
      try {
        return await this.#slots.run(workspaceId, receive, () =>
          busy(429, `A workspace uploads at most ${AT_ONCE.workspace} archives at a time. Try again.`),
        );
      } finally {
        this.#underWay -= 1;
      }
    }
  }
  Object.defineProperty(SourceUploadsController, 'name', { value: `Deployments.upload (${access})` });
  return SourceUploadsController;
};

const busy = (status: number, message: string): Problem => new Problem(status, message, { 'retry-after': '5' });

export const SOURCE_UPLOAD_CONTROLLERS: readonly Type[] = (['platform-key', 'session'] as const).map(
  sourceUploadsController,
);
