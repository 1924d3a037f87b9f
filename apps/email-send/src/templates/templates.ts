import { Injectable } from '@nestjs/common';
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  listTemplateVersions,
  previewTemplate,
  Refusal,
  type RequestOf,
  updateTemplate,
} from '@postern/contracts';
import { textFromHtml } from '@postern/mail';
import { Handles } from '@postern/messaging';
import { EmailServices } from '../email-services/email-services.projection.js';
import { invalidVariables } from './invalid-variables.js';
import { parseTemplate, TemplateError } from './parse-template.js';
import { type RenderedTemplate, renderTemplate } from './render-template.js';
import { type TemplateChanges, type TemplateReference, TemplateRepository } from './template-repository.js';

type Variables = Readonly<Record<string, unknown>>;

/** Stored templates of an email service: their changes, and messages from them. */
@Injectable()
export class Templates {
  constructor(
    private readonly services: EmailServices,
    private readonly templates: TemplateRepository,
  ) {}

  @Handles(createTemplate)
  async create(request: RequestOf<typeof createTemplate>) {
    await this.services.get(request);
    const { name, subject, html, text = null } = request;
    checkSyntax({ subject, html, text });
    return this.templates.create(request.service_id, name, { subject, html, text });
  }

  @Handles(listTemplates)
  async list(request: RequestOf<typeof listTemplates>) {
    await this.services.get(request);
    return this.templates.list(request.service_id);
  }

  @Handles(getTemplate)
  async get(request: RequestOf<typeof getTemplate>) {
    await this.services.get(request);
    return this.templates.get(request.service_id, request.template_id, request.version);
  }

  @Handles(updateTemplate)
  async update(request: RequestOf<typeof updateTemplate>) {
    await this.services.get(request);
    const { service_id, template_id, name, subject, html, text } = request;
    checkSyntax({ subject, html, text });
    return this.templates.update(service_id, template_id, { name, subject, html, text });
  }

  @Handles(deleteTemplate)
  async delete(request: RequestOf<typeof deleteTemplate>) {
    await this.services.get(request);
    await this.templates.delete(request.service_id, request.template_id);
    return { id: request.template_id, deleted: true as const };
  }

  @Handles(listTemplateVersions)
  async versions(request: RequestOf<typeof listTemplateVersions>) {
    await this.services.get(request);
    await this.templates.get(request.service_id, request.template_id);
    return this.templates.versions(request.template_id);
  }

  @Handles(previewTemplate)
  async previewOf(request: RequestOf<typeof previewTemplate>) {
    await this.services.get(request);
    const found = await this.#version(request.service_id, { id: request.template_id, version: request.version });
    const { subject, html, text = textFromHtml(html) } = renderTemplate(found, request.variables, 'variables');
    return { version: found.version, subject, html, text };
  }

  /** The content of a message; refuses with `invalid_email`, whose message names the field. */
  async render(
    serviceId: string,
    { id, name, version, variables }: TemplateReference & { readonly variables: Variables },
  ): Promise<RenderedTemplate> {
    if ((id === undefined) === (name === undefined)) throw invalidVariables('template', 'give either id or name');
    const found = await this.templates.version(serviceId, { id, name, version });
    if (found) return renderTemplate(found, variables, 'template.variables');
    if (version !== undefined && (await this.templates.version(serviceId, { id, name })))
      throw invalidVariables('template.version', `the template has no version ${version}`);
    throw invalidVariables(
      id === undefined ? 'template.name' : 'template.id',
      'the email service has no such template',
    );
  }

  async #version(serviceId: string, reference: TemplateReference) {
    const found = await this.templates.version(serviceId, reference);
    if (!found) throw new Refusal('template_not_found', 'there is no template with this id, or no such version of it');
    return found;
  }
}

/** Refuses with `invalid_template`, whose message names the field. */
function checkSyntax(content: Omit<TemplateChanges, 'name'>): void {
  for (const [field, source] of Object.entries(content)) {
    if (typeof source !== 'string') continue;
    try {
      parseTemplate(source);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw new Refusal('invalid_template', `${field}: ${error.message}`);
    }
  }
}
