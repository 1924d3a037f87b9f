import { describe, it } from '@jest/globals';
import { addressListed, addressSuppressed, suppressionLifted } from '@postern/contracts';
import { specificationOf } from '@postern/event-sourcing/testing';
import { at, EMAIL_ID, SERVICE_ID } from '../testing/example-signals.js';
import { addressSuppression, type SuppressionEvent } from './address-suppression.js';

const given = specificationOf(addressSuppression);

describe('The suppression of an address', () => {
  it('starts when the address bounces hard or complains', () => given().when(suppress).yields(suppressed));

  it('starts when a user lists the address', () => given().when(list).yields(listed));

  it('by a user starts again after its removal', () => given(suppressed, lifted).when(list).yields(listed));

  it('starts only once, by a report or by a user', () => {
    given(listed).when(suppress).yields();
    given(listed).when(list).yields();
    given(suppressed).when(list).yields();
  });

  it('by a user ends when it is removed', () => given(listed).when(remove).yields(lifted));

  it('starts only once', () => given(suppressed).when(suppress).yields());

  it('ends when its owner removes it', () => given(suppressed).when(remove).yields(lifted));

  it('starts again when the address bounces again', () => given(suppressed, lifted).when(suppress).yields(suppressed));

  it('cannot be removed if it does not exist', () =>
    given(suppressed, lifted).when(remove).refuses('suppression_not_found'));
});

const listing = {
  service_id: SERVICE_ID,
  address: 'ada@x.test',
  reason: 'hard_bounce' as const,
  email_id: EMAIL_ID,
  at: at(10),
};
const removal = { service_id: SERVICE_ID, address: 'ada@x.test', at: at(99) };
const suppress = { kind: 'suppress' as const, data: listing };
const remove = { kind: 'remove' as const, data: removal };
const list = { kind: 'list' as const, data: { service_id: SERVICE_ID, address: 'ada@x.test', at: at(20) } };
const listed: SuppressionEvent = { type: addressListed.type, data: list.data };
const suppressed: SuppressionEvent = { type: addressSuppressed.type, data: listing };
const lifted: SuppressionEvent = { type: suppressionLifted.type, data: removal };
