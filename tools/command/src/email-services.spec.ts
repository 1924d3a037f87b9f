import { describe, expect, it } from '@jest/globals';
import { one } from './email-services.js';

const named = (...names: readonly string[]) => names.map((name, index) => ({ id: `id-${index}`, name }));
const problemOf = (resources: ReturnType<typeof named>, wanted?: string): string => {
  try {
    one(resources, wanted, 'web service', 'with --service (id or name)');
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

describe('a resource selected by a user', () => {
  it('is found by its id or name, or without either if there is only one', () => {
    const [shop, blog] = named('shop', 'blog');
    expect(one(named('shop', 'blog'), 'id-0', 'web service', 'with --service (id or name)')).toEqual(shop);
    expect(one(named('shop', 'blog'), 'blog', 'web service', 'with --service (id or name)')).toEqual(blog);
    expect(one(named('shop'), undefined, 'web service', 'with --service (id or name)')).toEqual(shop);
  });

  it('is listed with those of the same name only', () => {
    expect(problemOf(named('shop', 'blog', 'shop'), 'shop')).toBe(
      'Several web services are called "shop". Choose one with --service (id or name):\n  id-0  shop\n  id-2  shop',
    );
  });

  it('is listed with the first twenty and the number of the others', () => {
    const problem = problemOf(named(...Array.from({ length: 23 }, (_, index) => `web-${index}`)), 'missing');
    expect(problem.split('\n')).toHaveLength(22);
    expect(problem).toMatch(/\n {2}id-19 {2}web-19\n {2}and 3 more$/);
  });
});
