import { describe, expect, it } from '@jest/globals';
import { headersFor, parseHeaders } from './header-rules.js';
import { parseRedirects, redirectFor } from './redirects.js';

const complaints: string[] = [];
const complain = (line: string) => complaints.push(line);
const redirect = (rules: string, path: string, query = '') => redirectFor(parseRedirects(rules, complain), path, query);

describe('_redirects', () => {
  it.each([
    ['/old /new', '/old', '', '/new', 301],
    ['/old /new 302', '/old/', '', '/new', 302],
    ['# comment\r\n\r\n/old  /new  307\r\n', '/old', '', '/new', 307],
    ['/old https://example.com/new 308', '/old', '?a=1', 'https://example.com/new?a=1', 308],
    ['/old /new?fixed=1', '/old', '?a=1', '/new?fixed=1', 301],
    ['/old /new#part', '/old', '?a=1', '/new?a=1#part', 301],
    ['/* /index.html 200', '/any/page', '', '/index.html', 200],
    ['/blog/* /articles/:splat', '/blog/2026/one', '', '/articles/2026/one', 301],
    ['/blog/* /articles/:splat', '/blog', '', '/articles/', 301],
    ['/news/:year/:title /:title/:year', '/news/2026/hello', '', '/hello/2026', 301],
    ['/store id=:id /items/:id', '/store', '?id=a%2Fb', '/items/a%2Fb?id=a%2Fb', 301],
    ['/go/* /:splat', '/go//evil.example', '', '/evil.example', 301],
    ['/a /first\n/a /second', '/a', '', '/first', 301],
  ])('%j answers %s%s with %s, %i', (rules, path, query, to, status) => {
    expect(redirect(rules, path, query)).toEqual({ to, status });
  });

  it.each([
    ['/store id=:id /items/:id', '/store', '?other=1'],
    ['/store kind=book /books', '/store', '?kind=film'],
    ['/news/:year /x', '/news', ''],
    ['/old /new', '/older', ''],
  ])('%j leaves %s%s alone', (rules, path, query) => {
    expect(redirect(rules, path, query)).toBeUndefined();
  });

  it.each([
    ['old /new', 'old is no path'],
    ['/a*b /new', '/a*b is no path'],
    ['/old', 'there is no target'],
    ['/old /new 418', '418 is not one of'],
    ['/old /new 301 Country=de', 'the condition Country=de is not supported'],
    ['/api/* https://api.example.com/:splat 200', 'a site does not serve pages of other hosts'],
  ])('%j is ignored, and the reason is told', (rules, reason) => {
    complaints.length = 0;
    expect(redirect(rules, '/old')).toBeUndefined();
    expect(complaints).toEqual([expect.stringContaining(`_redirects, line 1: ${reason}`)]);
  });

  it('is bounded in its number of rules and the length of its lines', () => {
    complaints.length = 0;
    const many = Array.from({ length: 3_000 }, (_, n) => `/a${n} /b`).join('\n');
    expect(parseRedirects(many, complain)).toHaveLength(2_500);
    expect(parseRedirects(`/a /${'b'.repeat(3_000)}`, complain)).toEqual([]);
    expect(complaints).toHaveLength(2);
  });
});

describe('_headers', () => {
  const RULES = `
/*
  X-Frame-Options: DENY
  Cache-Control: no-store
/assets/*
  ! Cache-Control
  X-Path: is :splat
/docs/:page
  x-frame-options: SAMEORIGIN
  Content-Length: 5
  broken
`;

  it('apply together to the paths that they name', () => {
    complaints.length = 0;
    const rules = parseHeaders(RULES, complain);
    expect(Object.fromEntries(headersFor(rules, '/'))).toEqual({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
    expect(Object.fromEntries(headersFor(rules, '/assets/a/b.js'))).toMatchObject({
      'cache-control': undefined,
      'x-path': 'is a/b.js',
    });
    expect(headersFor(rules, '/docs/one').get('x-frame-options')).toBe('DENY, SAMEORIGIN');
    expect(complaints).toEqual([
      '_headers, line 10: content-length is set by the server; the line is ignored',
      '_headers, line 11: a header is Name: value; the line is ignored',
    ]);
  });
});
