import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AdmitsAnyone } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { OpenApiDocuments } from '../infrastructure/http/openapi/documents.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The OpenAPI documents of both APIs. */
@Controller()
export class OpenApiController {
  /** Cached as bytes, because anyone may request the documents. */
  #publicDocument: Buffer | undefined;
  #dashboardDocument: Buffer | undefined;

  constructor(private readonly documents: OpenApiDocuments) {}

  @Get('openapi.json')
  @AdmitsAnyone()
  @Describes({ summary: 'OpenAPI document of the public API', requests: [], contentType: 'application/json' })
  publicApi(@Res() reply: FastifyReply) {
    this.#publicDocument ??= Buffer.from(JSON.stringify(this.documents.publicApi()));
    return reply.type(JSON_TYPE).send(this.#publicDocument);
  }

  @Get('dashboard/api/openapi.json')
  @AdmitsAnyone()
  @Describes({ summary: 'OpenAPI document of the dashboard API', requests: [], contentType: 'application/json' })
  dashboardApi(@Res() reply: FastifyReply) {
    this.#dashboardDocument ??= Buffer.from(JSON.stringify(this.documents.dashboardApi()));
    return reply.type(JSON_TYPE).send(this.#dashboardDocument);
  }
}
