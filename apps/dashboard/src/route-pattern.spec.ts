import { describe, expect, it } from '@jest/globals';
import { matchPath } from './route-pattern.js';

const A = '0198d3a4-0f4b-7d21-8c55-6a1b2c3d4e02';
const B = '0198d3b0-2b3c-7d4e-9f5a-6b7c8d9e0f04';

describe('a path', () => {
  it('matches a pattern of the same form, and returns its named parts', () =>
    expect(matchPath('/services/:service_id/messages/:email_id', `/services/${A}/messages/${B}`)).toEqual({
      service_id: A,
      email_id: B,
    }));

  it.each(['/services', '/services/', `/services/${A}/b`, `/users/${A}`])(
    '%p does not match /services/:service_id',
    path => expect(matchPath('/services/:service_id', path)).toBeUndefined(),
  );

  it.each(['nope', A.slice(1), `${A}0`, '..', 'a%2Fb', `${A}%2F..`])(
    'does not match %p, which is no id and could change the meaning of an API path',
    part => expect(matchPath('/services/:service_id', `/services/${part}`)).toBeUndefined(),
  );
});
