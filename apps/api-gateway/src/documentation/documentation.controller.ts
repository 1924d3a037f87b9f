import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Controller, Get, NotFoundException, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AdmitsAnyone } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { OpenApiDocuments } from '../infrastructure/http/openapi/documents.js';
import { PAGE_POLICY } from '../infrastructure/http/server/response-headers.js';

/** Resolved on first use. */
let swaggerFolder: string | undefined;
const folder = (): string =>
  (swaggerFolder ??= dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')));

const JSON_TYPE = 'application/json; charset=utf-8';

const FILES = new Set([
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'favicon-32x32.png',
]);

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Postern API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"><link rel="icon" href="/docs/favicon-32x32.png"></head>
<body><div id="swagger-ui"></div><script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-ui-standalone-preset.js"></script><script src="/docs/start.js"></script></body></html>`;

const START = `window.ui = SwaggerUIBundle({
  urls: [
    { url: '/openapi.json', name: 'Public API' },
    { url: '/dashboard/api/openapi.json', name: 'Dashboard API' },
  ],
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
});`;

/** The OpenAPI documents and a page that shows them; the page loads nothing from other hosts. */
@Controller()
export class DocumentationController {
  /** Kept as text, because anyone may request them. */
  private publicDocument: string | undefined;
  private dashboardDocument: string | undefined;

  constructor(private readonly documents: OpenApiDocuments) {}

  @Get('openapi.json')
  @AdmitsAnyone()
  @Describes({ summary: 'OpenAPI document of the public API', requests: [], contentType: 'application/json' })
  publicApi(@Res() reply: FastifyReply) {
    this.publicDocument ??= JSON.stringify(this.documents.publicApi());
    return reply.type(JSON_TYPE).send(this.publicDocument);
  }

  @Get('dashboard/api/openapi.json')
  @AdmitsAnyone()
  @Describes({ summary: 'OpenAPI document of the dashboard API', requests: [], contentType: 'application/json' })
  dashboardApi(@Res() reply: FastifyReply) {
    this.dashboardDocument ??= JSON.stringify(this.documents.dashboardApi());
    return reply.type(JSON_TYPE).send(this.dashboardDocument);
  }

  @Get('docs')
  @AdmitsAnyone()
  @Describes({ summary: 'The API documentation as a page', requests: [], contentType: 'text/html' })
  page(@Res() reply: FastifyReply) {
    return reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(PAGE);
  }

  @Get('docs/:file')
  @AdmitsAnyone()
  @Describes({ summary: 'Files of the documentation page', requests: [], contentType: 'text/javascript' })
  file(@Param('file') file: string, @Res() reply: FastifyReply) {
    if (file === 'start.js') return reply.type('text/javascript; charset=utf-8').send(START);
    if (!FILES.has(file)) throw new NotFoundException();
    return reply.sendFile(file, folder(), { maxAge: 86_400_000 });
  }
}
