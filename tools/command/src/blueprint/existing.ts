import type { CronJob, CustomDomain, Database, Platform, Project, Variable, WebService } from '@postern/sdk';
import type { DashboardApi } from '../dashboard-api.js';
import { emailServices } from '../email-services.js';

/** A web service with everything that belongs to it. */
export interface ExistingService {
  readonly service: WebService;
  readonly variables: readonly Variable[];
  readonly cronJobs: readonly CronJob[];
  readonly domains: readonly CustomDomain[];
  /** Variables by the name of the attached database. */
  readonly attachments: ReadonlyMap<string, string>;
}

export interface ExistingEmailService {
  readonly id: string;
  readonly domains: readonly string[];
}

/** What a workspace has of a project. */
export interface Existing {
  readonly project: Project | undefined;
  readonly services: ReadonlyMap<string, ExistingService>;
  readonly databases: ReadonlyMap<string, Database>;
  readonly emailServices: ReadonlyMap<string, ExistingEmailService>;
}

/** Reads what exists, without previews, which pull requests create and delete. `dashboard` is needed only for email services. */
export const readExisting = async (
  platform: Platform,
  projectName: string,
  dashboard: DashboardApi | undefined,
): Promise<Existing> => {
  const project = (await platform.projects.list()).find(({ name }) => name === projectName);
  const databases = await databasesOf(platform);
  const services = project
    ? (await platform.webServices.list()).filter(
        ({ project_id, preview_of }) => project_id === project.id && !preview_of,
      )
    : [];
  const attached = services.length === 0 ? [] : await attachmentsOf(platform, databases);
  const found = new Map<string, ExistingService>();
  for (const service of services) {
    const { id } = service;
    found.set(service.name, {
      service,
      variables: await platform.environment.list(id),
      cronJobs: await platform.cronJobs.list(id),
      domains: await platform.domains.list(id),
      attachments: new Map(
        attached.flatMap(({ serviceId, database, variable }) =>
          serviceId === id ? [[database, variable] as const] : [],
        ),
      ),
    });
  }
  return {
    project,
    services: found,
    databases: new Map(databases.map(each => [each.name, each])),
    emailServices: dashboard ? await emailServicesOf(dashboard) : new Map(),
  };
};

const databasesOf = async (platform: Platform): Promise<readonly Database[]> => {
  const all: Database[] = [];
  for (;;) {
    const { items, total } = await platform.databases.list({ limit: 100, offset: all.length });
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
  }
};

const attachmentsOf = async (platform: Platform, databases: readonly Database[]) => {
  const all: { readonly serviceId: string; readonly database: string; readonly variable: string }[] = [];
  for (const { id, name } of databases)
    for (const { web_service_id, variable } of await platform.databases.attachments(id))
      all.push({ serviceId: web_service_id, database: name, variable });
  return all;
};

const emailServicesOf = async (dashboard: DashboardApi): Promise<ReadonlyMap<string, ExistingEmailService>> => {
  const found = new Map<string, ExistingEmailService>();
  for (const { id, name } of await emailServices(dashboard)) {
    const domains = await dashboard.get<readonly { readonly domain: string }[]>(`/email-services/${id}/domains`);
    found.set(name, { id, domains: domains.map(({ domain }) => domain) });
  }
  return found;
};
