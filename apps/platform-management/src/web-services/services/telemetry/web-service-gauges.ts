import { Inject, Injectable } from '@nestjs/common';
import type { WebServiceStatus } from '@postern/contracts';
import { Database, Metrics } from '@postern/service-host';
import { STAGES } from '../aggregate/deployment-outcomes.js';
import { DEPLOYMENTS_UNDER_WAY, WEB_SERVICES_BY_STATUS } from './telemetry.sql.js';

const STATUSES: Readonly<Record<WebServiceStatus, true>> = {
  created: true,
  starting: true,
  running: true,
  restarting: true,
  stopping: true,
  stopped: true,
  failed: true,
};

interface UnderWayRow {
  readonly status: string;
  readonly deployments: number;
  readonly waiting: number;
  readonly seconds: number;
}

/** Exports deployments in progress and web services by status, read from the database at each collection. */
@Injectable()
export class WebServiceGauges {
  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'pool'>,
    metrics: Metrics,
  ) {
    const meter = metrics.meter('postern.deployments');
    const active = meter.createObservableGauge('postern.deployments.active', {
      unit: '{deployment}',
      description: 'Unfinished deployments, by status',
    });
    const depth = meter.createObservableGauge('postern.deployments.queue.depth', {
      unit: '{deployment}',
      description:
        'Deployments waiting for a build slot, without those that wait for another deployment of their service',
    });
    const delay = meter.createObservableGauge('postern.deployments.queue.delay', {
      unit: 's',
      description: 'Age of the oldest deployment waiting for a build slot',
    });
    const services = metrics.meter('postern.web_services').createObservableGauge('postern.web_services.count', {
      unit: '{service}',
      description: 'Web services, by status',
    });
    meter.addBatchObservableCallback(
      async observed => {
        const rows = await this.#underWay();
        for (const status of STAGES)
          observed.observe(active, rows.find(row => row.status === status)?.deployments ?? 0, { status });
        const queued = rows.find(({ status }) => status === 'queued');
        observed.observe(depth, queued?.waiting ?? 0);
        observed.observe(delay, queued?.seconds ?? 0);
      },
      [active, depth, delay],
    );
    services.addCallback(async observed => {
      for (const { status, services } of await this.#services()) observed.observe(services, { status });
    });
  }

  async #underWay(): Promise<readonly UnderWayRow[]> {
    const { rows } = await this.database.pool.query<UnderWayRow>({
      name: 'deployments-under-way',
      text: DEPLOYMENTS_UNDER_WAY,
      values: [STAGES],
    });
    return rows;
  }

  async #services(): Promise<readonly { readonly status: string; readonly services: number }[]> {
    const { rows } = await this.database.pool.query<{ status: string; services: number }>({
      name: 'web-services-by-status',
      text: WEB_SERVICES_BY_STATUS,
      values: [Object.keys(STATUSES)],
    });
    return rows;
  }
}
