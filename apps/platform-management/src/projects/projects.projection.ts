import { Injectable } from '@nestjs/common';
import { type getProject, Refusal, type ReplyOf } from '@postern/contracts';
import { Database } from '@postern/service-host';

interface ProjectRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly created_at: Date;
}

const COLUMNS = 'id, name, description, created_at';

/** Projects of their users. */
@Injectable()
export class Projects {
  constructor(private readonly database: Database) {}

  async ofUser(userId: string): Promise<ReplyOf<typeof getProject>[]> {
    const { rows } = await this.database.reads.query<ProjectRow>({
      name: 'projects-of-user',
      text: `SELECT ${COLUMNS} FROM projects WHERE user_id = $1 ORDER BY created_at, id`,
      values: [userId],
    });
    return rows.map(replyOf);
  }

  /** Refuses with `project_not_found`. */
  async get(userId: string, projectId: string): Promise<ReplyOf<typeof getProject>> {
    const { rows } = await this.database.reads.query<ProjectRow>({
      name: 'project',
      text: `SELECT ${COLUMNS} FROM projects WHERE id = $1 AND user_id = $2`,
      values: [projectId, userId],
    });
    if (!rows[0]) throw new Refusal('project_not_found', 'there is no such project');
    return replyOf(rows[0]);
  }
}

const replyOf = ({ created_at, ...project }: ProjectRow) => ({ ...project, created_at: created_at.toISOString() });
