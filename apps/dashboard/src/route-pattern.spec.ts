import { describe, expect, it } from '@jest/globals';
import { matchPath } from './route-pattern.js';

describe('a path', () => {
  it('matches a pattern of the same form, and returns its named parts', () =>
    expect(matchPath('/services/:service_id/messages/:email_id', '/services/a-1/messages/b-2')).toEqual({
      service_id: 'a-1',
      email_id: 'b-2',
    }));

  it.each(['/services', '/services/', '/services/a/b', '/users/a'])('%p does not match /services/:service_id', path =>
    expect(matchPath('/services/:service_id', path)).toBeUndefined(),
  );

  it('does not match a part that could change the meaning of an API path', () => {
    expect(matchPath('/services/:service_id', '/services/..')).toBeUndefined();
    expect(matchPath('/services/:service_id', '/services/a%2Fb')).toBeUndefined();
  });
});
