import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../configuration/read-configuration.js';
import { renderFiles, unitsOf } from '../rendering/render.js';
import { EXAMPLE, MACHINE, SETTINGS } from '../testing/example.js';
import { withSockets } from './processes.js';

const all = unitsOf(renderFiles({ configuration: readConfiguration(EXAMPLE, SETTINGS), machine: MACHINE }));

describe('Stopping a part', () => {
  it.each([
    ['postern-delivery-tracking.service', ['postern-delivery-tracking.socket', 'postern-delivery-tracking.service']],
    ['postern-api-gateway.service', ['postern-api-gateway.socket', 'postern-api-gateway.service']],
    ['postern-email-send.service', ['postern-email-send.service']],
  ])('stops %s and its socket, through which a connection would start it again', (unit, stopped) =>
    expect(withSockets(all, [unit])).toEqual(stopped),
  );

  it('stops every unit, if none is named', () => expect(withSockets(all, all)).toEqual(all));
});
