import { Injectable } from '@nestjs/common';
import { MAX_TEMPLATE_VERSIONS, MAX_TEMPLATES, Refusal, type Template, type TemplateVersion } from '@postern/contracts';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { requiredVariables, type TemplateContent } from './render-template.js';
import {
  COUNT_TEMPLATES,
  DELETE_TEMPLATE,
  FIND_TEMPLATE,
  FIND_VERSION,
  INSERT_TEMPLATE,
  INSERT_VERSION,
  LIST_TEMPLATES,
  LIST_VERSIONS,
  LOCK_TEMPLATE,
  LOCK_TEMPLATES,
  RENAME_TEMPLATE,
} from './templates.sql.js';

interface VersionRow extends TemplateContent {
  readonly version: number;
  readonly variables: string[];
  readonly version_created_at: Date;
}

interface TemplateRow extends VersionRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
}

/** How a message names a template. */
export interface TemplateReference {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: number | undefined;
}

export interface TemplateChanges {
  readonly name?: string | undefined;
  readonly subject?: string | undefined;
  readonly html?: string | undefined;
  readonly text?: string | null | undefined;
}

/** Stored templates and their versions. A version never changes. */
@Injectable()
export class TemplateRepository {
  constructor(private readonly database: Database) {}

  /** Refuses `quota_reached` and `template_exists`. */
  async create(serviceId: string, name: string, content: TemplateContent): Promise<Template> {
    const id = uuidv7();
    await inTransaction(this.database.pool, async client => {
      await client.query(LOCK_TEMPLATES, [serviceId]);
      const { rows } = await client.query<{ count: number; named: number }>(COUNT_TEMPLATES, [serviceId, name, id]);
      if ((rows[0]?.count ?? 0) >= MAX_TEMPLATES) throw tooMany(`${MAX_TEMPLATES} templates per email service`);
      if (rows[0]?.named) throw exists(name);
      await client.query(INSERT_TEMPLATE, [id, serviceId, name]);
      await insertVersion(client, id, 1, content);
    });
    return this.get(serviceId, id);
  }

  /** Renames the template, and creates the next version if its content changes. Refuses like `create`. */
  async update(serviceId: string, id: string, { name, ...changes }: TemplateChanges): Promise<Template> {
    await inTransaction(this.database.pool, async client => {
      await client.query(LOCK_TEMPLATES, [serviceId]);
      const { rows } = await client.query<TemplateRow>(LOCK_TEMPLATE, [id, serviceId]);
      const [current] = rows;
      if (!current) throw notFound();
      if (name !== undefined && name !== current.name) await rename(client, serviceId, id, name);
      const next = contentOf({ ...current, ...given(changes) });
      if (JSON.stringify(next) === JSON.stringify(contentOf(current))) return;
      if (current.version >= MAX_TEMPLATE_VERSIONS) throw tooMany(`${MAX_TEMPLATE_VERSIONS} versions per template`);
      await insertVersion(client, id, current.version + 1, next);
    });
    return this.get(serviceId, id);
  }

  async list(serviceId: string) {
    const { rows } = await this.database.pool.query<Omit<TemplateRow, keyof TemplateContent>>(LIST_TEMPLATES, [
      serviceId,
    ]);
    return rows.map(({ id, name, version, variables, created_at, version_created_at }) => ({
      id,
      name,
      version,
      variables,
      created_at: created_at.toISOString(),
      updated_at: version_created_at.toISOString(),
    }));
  }

  /** With the latest version, unless another one is named. Refuses `template_not_found`. */
  async get(serviceId: string, id: string, version?: number): Promise<Template> {
    const row = await this.#find(serviceId, { id, version });
    if (!row) throw notFound();
    return {
      ...shownVersion(row),
      id: row.id,
      name: row.name,
      created_at: row.created_at.toISOString(),
      updated_at: row.version_created_at.toISOString(),
    };
  }

  async versions(id: string): Promise<Omit<TemplateVersion, 'html' | 'text'>[]> {
    const { rows } = await this.database.pool.query<Omit<VersionRow, 'html' | 'text'>>(LIST_VERSIONS, [id]);
    return rows.map(({ version, subject, variables, version_created_at }) => ({
      version,
      subject,
      variables,
      created_at: version_created_at.toISOString(),
    }));
  }

  /** Undefined if there is no such template or version. */
  async version(serviceId: string, reference: TemplateReference): Promise<TemplateVersion | undefined> {
    const row = await this.#find(serviceId, reference);
    return row && shownVersion(row);
  }

  /** Refuses `template_not_found`. */
  async delete(serviceId: string, id: string): Promise<void> {
    const { rowCount } = await this.database.pool.query(DELETE_TEMPLATE, [id, serviceId]);
    if (rowCount === 0) throw notFound();
  }

  async #find(serviceId: string, { id, name, version }: TemplateReference): Promise<TemplateRow | undefined> {
    const { rows } =
      version === undefined
        ? await this.database.pool.query<TemplateRow>(FIND_TEMPLATE, [serviceId, id ?? null, name ?? null])
        : await this.database.pool.query<TemplateRow>(FIND_VERSION, [serviceId, id ?? null, name ?? null, version]);
    return rows[0];
  }
}

const insertVersion = (client: pg.ClientBase, id: string, version: number, content: TemplateContent) =>
  client.query(INSERT_VERSION, [id, version, content.subject, content.html, content.text, requiredVariables(content)]);

const rename = async (client: pg.ClientBase, serviceId: string, id: string, name: string): Promise<void> => {
  const { rows } = await client.query<{ named: number }>(COUNT_TEMPLATES, [serviceId, name, id]);
  if (rows[0]?.named) throw exists(name);
  await client.query(RENAME_TEMPLATE, [id, name]);
};

const contentOf = ({ subject, html, text }: TemplateContent): TemplateContent => ({ subject, html, text });

const given = <Changes extends object>(changes: Changes): Partial<TemplateContent> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));

const shownVersion = ({
  version,
  subject,
  html,
  text,
  variables,
  version_created_at,
}: VersionRow): TemplateVersion => ({
  version,
  subject,
  html,
  text,
  variables,
  created_at: version_created_at.toISOString(),
});

const notFound = () => new Refusal('template_not_found', 'there is no template with this id, or no such version of it');
const exists = (name: string) =>
  new Refusal('template_exists', `name: the email service has a template "${name}" already`);
const tooMany = (limit: string) => new Refusal('quota_reached', `at most ${limit}. Delete unused templates.`);
