import { Refusal } from '@postern/contracts';
import type pg from 'pg';
import { Ownership } from './ports.js';

/** Asks the read models of projects and web services whose something is. */
export class OwnershipRows extends Ownership {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  override async ofProject(userId: string, projectId: string): Promise<void> {
    const { rows } = await this.pool.query({
      name: 'project-of-user',
      text: 'SELECT 1 FROM projects WHERE id = $1 AND user_id = $2',
      values: [projectId, userId],
    });
    if (rows.length === 0) throw new Refusal('project_not_found', 'there is no such project');
  }

  override async ofWebService(userId: string, webServiceId: string): Promise<void> {
    const { rows } = await this.pool.query({
      name: 'web-service-of-user',
      text: 'SELECT 1 FROM web_services WHERE id = $1 AND user_id = $2',
      values: [webServiceId, userId],
    });
    if (rows.length === 0) throw new Refusal('web_service_not_found', 'there is no such web service');
  }
}
