import { describe, expect, it } from '@jest/globals';
import { RouteTable } from './route-table.js';

const tableOf = (...routes: readonly string[]) => {
  const table = new RouteTable();
  for (const route of routes) table.add(...(route.split(' ') as [string, string]));
  return table;
};

describe('a path that two patterns match', () => {
  const table = tableOf('DELETE /a/:id/b/:name', 'PUT /a/:id/b/all', 'POST /a/:id');

  it('has the methods of the more specific pattern', () => {
    expect(table.methodsOf('/a/7/b/all?x=1')).toEqual(['OPTIONS', 'PUT']);
    expect(table.methodsOf('/a/7/b/other')).toEqual(['DELETE', 'OPTIONS']);
  });

  it('belongs to the more specific pattern', () => {
    expect(table.isOfAnother('/a/:id/b/:name', '/a/7/b/all?x=1')).toBe(true);
    expect(table.isOfAnother('/a/:id/b/:name', '/a/7/b/other')).toBe(false);
    expect(table.isOfAnother('/a/:id/b/all', '/a/7/b/all')).toBe(false);
  });

  it('has the methods of both if only the names of their parameters differ', () => {
    const same = tableOf('GET /a/:id', 'PATCH /a/:name');
    expect(same.methodsOf('/a/7')).toEqual(['GET', 'OPTIONS', 'PATCH']);
    expect(same.isOfAnother('/a/:id', '/a/7')).toBe(false);
  });
});

it('a wildcard keeps its methods next to a route that it matches', () => {
  const table = tableOf('GET /pages/*', 'POST /pages/form');
  expect(table.methodsOf('/pages/form')).toEqual(['OPTIONS', 'POST']);
  expect(table.isOfAnother('/pages/*', '/pages/form')).toBe(false);
});
