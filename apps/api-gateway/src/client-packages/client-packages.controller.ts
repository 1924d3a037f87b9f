import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Inject, NotFoundException, Req, Res } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { AdmitsAnyone } from '../infrastructure/http/admission/route-admission.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { installScript } from './install-script.js';

const FILES: ReadonlySet<string> = new Set(['sdk.tgz', 'python.tgz', 'go.tgz', 'php.tgz', 'ruby.tgz', 'command.tgz']);

/** The libraries and the command, in the version of this installation: no package registry has them. */
@Controller()
export class ClientPackagesController {
  readonly #script: string;

  constructor(@Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'packagesDir' | 'publicUrl'>) {
    this.#script = installScript(config.publicUrl.replace(/\/+$/, ''));
  }

  @Get('packages/:file')
  @AdmitsAnyone()
  @Describes({
    summary: 'The libraries, and the command for npm',
    requests: [],
    contentType: 'application/gzip',
    pathParameters: { file: '`sdk.tgz` (JavaScript), `python.tgz`, `go.tgz`, `php.tgz`, `ruby.tgz` or `command.tgz`.' },
  })
  file(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { file } = request.params as { readonly file: string };
    if (!FILES.has(file)) throw new NotFoundException();
    if (!existsSync(join(this.config.packagesDir, file)))
      throw new Problem(503, 'The packages are not built. Run `npm run build`, and try again.');
    // npm compares the content with its lockfile, so an upgrade must not meet an old copy.
    return reply.type('application/gzip').sendFile(file, this.config.packagesDir, { maxAge: 0, contentType: false });
  }

  @Get('install.sh')
  @AdmitsAnyone()
  @Describes({
    summary: 'Installs the command: `curl <url>/install.sh | sh`',
    requests: [],
    contentType: 'text/x-shellscript',
  })
  script(@Res() reply: FastifyReply) {
    return reply.type('text/x-shellscript; charset=utf-8').send(this.#script);
  }
}
