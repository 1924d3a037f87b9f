import { Injectable } from '@nestjs/common';
import { getProject, listProjects, type ReplyOf, type RequestOf } from '@postern/contracts';
import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { type ProjectOwner, ProjectOwners, projectNotFound } from './ports.js';
import type { ProjectEvent } from './project.js';
import { FIND_PROJECT, INSERT_PROJECT, LIST_PROJECTS } from './projects.sql.js';

/** Applies one event to the read model of projects. */
export function applyProjectEvent({ data }: ProjectEvent, tx: ProjectionTransaction): Promise<unknown> {
  const { project_id, user_id, workspace_id, name, description, at } = data;
  return tx.query(INSERT_PROJECT(tx), [project_id, user_id, workspace_id, name, description, at]);
}

interface ProjectRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly created_at: Date;
}

/** The read model of projects. */
@Injectable()
export class Projects extends ProjectOwners {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {
    super();
  }

  /** Lists the user's projects, oldest first. */
  @Handles(listProjects)
  async list({ user_id }: RequestOf<typeof listProjects>): Promise<ReplyOf<typeof listProjects>> {
    const query = { name: 'projects-of-user', text: LIST_PROJECTS, values: [user_id] };
    const { rows } = await this.database.reads.query<ProjectRow>(query);
    return rows.map(replyOf);
  }

  /** Refuses with `project_not_found`. */
  @Handles(getProject)
  async get({ user_id, project_id }: RequestOf<typeof getProject>): Promise<ReplyOf<typeof getProject>> {
    const query = { name: 'project', text: FIND_PROJECT, values: [project_id, user_id] };
    const { rows } = await this.database.reads.query<ProjectRow>(query);
    if (!rows[0]) throw projectNotFound();
    return replyOf(rows[0]);
  }

  override async ownerOf(projectId: string): Promise<ProjectOwner | undefined> {
    const select = { userId: true, workspaceId: true };
    return (await this.prisma.project.findUnique({ where: { id: projectId }, select })) ?? undefined;
  }
}

const replyOf = ({ created_at, ...project }: ProjectRow) => ({ ...project, created_at: created_at.toISOString() });
