import { Injectable } from '@nestjs/common';
import { getProject, listProjects, type ReplyOf, type RequestOf } from '@postern/contracts';
import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { type ProjectOwner, ProjectOwners, projectNotFound } from './ports.js';
import type { ProjectEvent } from './project.js';
import { CHANGE_PROJECT, DELETE_PROJECT, FIND_PROJECT, INSERT_PROJECT, LIST_PROJECTS } from './projects.sql.js';
import { reachValues } from './reached-projects.js';

/** Applies one event to the read model of projects. */
export function applyProjectEvent({ type, data }: ProjectEvent, tx: ProjectionTransaction): Promise<unknown> {
  switch (type) {
    case 'platform-management.project-created.v1': {
      const { project_id, user_id, workspace_id, name, description, at } = data;
      return tx.query(INSERT_PROJECT(tx), [project_id, user_id, workspace_id, name, description, at]);
    }
    case 'platform-management.project-changed.v1':
      return tx.query(CHANGE_PROJECT(tx), [data.project_id, JSON.stringify(data.changes)]);
    case 'platform-management.project-deleted.v1':
      return tx.query(DELETE_PROJECT(tx), [data.project_id]);
  }
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

  /** Lists the projects that the caller can access, oldest first. */
  @Handles(listProjects)
  async list(request: RequestOf<typeof listProjects>): Promise<ReplyOf<typeof listProjects>> {
    const query = { name: 'projects', text: LIST_PROJECTS, values: [...reachValues(request)] };
    const { rows } = await this.database.reads.query<ProjectRow>(query);
    return rows.map(replyOf);
  }

  /** Returns a project. Refuses with `project_not_found`. */
  @Handles(getProject)
  async get(request: RequestOf<typeof getProject>): Promise<ReplyOf<typeof getProject>> {
    const query = { name: 'project', text: FIND_PROJECT, values: [...reachValues(request), request.project_id] };
    const { rows } = await this.database.reads.query<ProjectRow>(query);
    if (!rows[0]) throw projectNotFound();
    return replyOf(rows[0]);
  }

  override async ownerOf(projectId: string): Promise<ProjectOwner | undefined> {
    const select = { workspaceId: true };
    return (await this.prisma.project.findUnique({ where: { id: projectId }, select })) ?? undefined;
  }
}

const replyOf = ({ created_at, ...project }: ProjectRow) => ({ ...project, created_at: created_at.toISOString() });
