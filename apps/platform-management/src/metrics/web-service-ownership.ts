import type pg from 'pg';
import { type OwnedWebService, WebServiceOwnership } from './ports.js';

/** The read model of web services, asked for its owner and status alone. */
export class WebServiceOwnershipRows extends WebServiceOwnership {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async find(userId: string, webServiceId: string): Promise<OwnedWebService | undefined> {
    const { rows } = await this.pool.query<OwnedWebService>(
      'SELECT status FROM web_services WHERE id = $1 AND user_id = $2',
      [webServiceId, userId],
    );
    return rows[0];
  }
}
