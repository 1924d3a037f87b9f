import type pg from 'pg';
import { ProjectOwners } from '../web-services/ports.js';

/** The read model of projects, asked for its owner alone. */
export class ProjectOwnerRows extends ProjectOwners {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  override async ownerOf(projectId: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ user_id: string }>('SELECT user_id FROM projects WHERE id = $1', [
      projectId,
    ]);
    return rows[0]?.user_id;
  }
}
