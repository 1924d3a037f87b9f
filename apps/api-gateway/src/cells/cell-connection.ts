import type { Host } from '@postern/service-host';
import { ChangeNotices } from '@postern/service-host';
import type { GatewayConfig } from '../config.js';
import type { GatewayConnection, ServiceClient } from '../infrastructure/service-client/ports.js';
import type { Cell } from './cell.js';
import { CellServices } from './cell-services.js';
import { Cells } from './cells.js';

/** The connection of a gateway with cells: that of one of them. */
export interface CellConnection extends GatewayConnection {
  readonly cells: Cells;
  readonly home: Cell;
  readonly services: ServiceClient;
}

/** Connects to the cells; undefined if there are none. */
export const connectCells = (...[config, log, release]: Parameters<Cells['connect']>) => {
  const cells = new Cells();
  return cells.connect(config, log, release)?.then(({ home, connection }): CellConnection => {
    return { ...connection, cells, home, services: new CellServices(cells, home) };
  });
};

/** The cells of a host; undefined without cells. */
export const cellsOf = ({ connection }: Host<GatewayConfig>): CellConnection | undefined =>
  'cells' in connection ? (connection as CellConnection) : undefined;

/** The host with the connection, the services and the settings of a cell. @throws if the cell is not connected. */
export const hostOfCell = (host: Host<GatewayConfig>, cells: Cells, cell: Cell): Host<GatewayConfig> => {
  if (!cell.connection) throw new Error(`The cell ${cell.name} is not connected`);
  const { link, requests } = cell.connection;
  const connection: CellConnection = { link, requests, cells, home: cell, services: new CellServices(cells, cell) };
  return {
    ...host,
    link,
    requests,
    connection,
    config: { ...host.config, linkSecrets: [...cell.settings.linkSecrets] },
    changes: new ChangeNotices(link, 'api-gateway'),
  };
};
