import { describe, it } from '@jest/globals';
import { addressSuppressed, suppressionLifted } from '@postern/contracts';
import { specificationOf } from '@postern/event-sourcing/testing';
import { at, EMAIL_ID, SERVICE_ID } from '../testing/example-signals.js';
import { addressSuppression, type SuppressionEvent } from './address-suppression.js';

const given = specificationOf(addressSuppression);

describe('The suppression of an address', () => {
  it('lists an address that bounced hard or complained', () => given().when(suppress).yields(suppressed));

  it('lists it once', () => given(suppressed).when(suppress).yields());

  it('takes it off the list on request', () => given(suppressed).when(lift).yields(lifted));

  it('lists it again when it bounces again', () => given(suppressed, lifted).when(suppress).yields(suppressed));

  it('refuses to lift what is not listed', () => given(suppressed, lifted).when(lift).refuses('suppression_not_found'));
});

const listing = {
  service_id: SERVICE_ID,
  address: 'ada@x.test',
  reason: 'hard_bounce' as const,
  email_id: EMAIL_ID,
  at: at(10),
};
const lifting = { service_id: SERVICE_ID, address: 'ada@x.test', at: at(99) };
const suppress = { kind: 'suppress' as const, data: listing };
const lift = { kind: 'lift' as const, data: lifting };
const suppressed: SuppressionEvent = { type: addressSuppressed.type, data: listing };
const lifted: SuppressionEvent = { type: suppressionLifted.type, data: lifting };
