import type { Metrics } from '@postern/service-host';
import type { Cells } from './cells.js';

/** Exports whether each cell can be reached, and the requests that its services answered or could not get. */
export const observeCells = (cells: Cells, metrics: Metrics): void => {
  const meter = metrics.meter('@postern/api-gateway');
  meter
    .createObservableGauge('postern.cells.up', {
      description: '1 if the NATS servers of the cell respond to this gateway, 0 otherwise',
    })
    .addCallback(async observed => {
      const checks = cells.all.map(
        async cell =>
          [
            cell.name,
            await cell.check().then(
              () => 1,
              () => 0,
            ),
          ] as const,
      );
      for (const [cell, up] of await Promise.all(checks)) observed.observe(up, { cell });
    });
  meter
    .createObservableCounter('postern.cells.requests', {
      unit: '{request}',
      description: 'Requests of this gateway to the services of the cell',
    })
    .addCallback(observed => {
      for (const { name: cell, requests } of cells.all)
        for (const [outcome, count] of Object.entries(requests)) observed.observe(count, { cell, outcome });
    });
};
