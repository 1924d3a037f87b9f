import { describe, expect, it } from '@jest/globals';
import { failureLinesOf } from './failure-lines.js';

const frames = (count: number) =>
  Array.from({ length: count }, (_, at) => `    at Module._load (node:internal/modules/cjs/loader:${at})`);

describe('the lines that tell why a program failed', () => {
  it('contain the error of Node.js and the first line of the own code, and not the frames of Node.js', () => {
    const output = [
      '/app/server.js:3',
      '  throw new Error("DATABASE_URL is not set");',
      '  ^',
      '',
      'Error: DATABASE_URL is not set',
      '    at connect (/app/node_modules/pg/client.js:9:1)',
      '    at Object.<anonymous> (/app/server.js:3:9)',
      ...frames(12),
      '',
      'Node.js v24.21.0',
    ];
    expect(failureLinesOf(output.join('\n'))).toEqual([
      '  ^',
      'Error: DATABASE_URL is not set',
      '    at connect (/app/node_modules/pg/client.js:9:1)',
      '    at Object.<anonymous> (/app/server.js:3:9)',
      'Node.js v24.21.0',
    ]);
  });

  it('contain an error that many lines follow', () => {
    const noise = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    const own = '    at start (/app/main.js:1:1)';
    expect(failureLinesOf(['TypeError: x is not a function', own, ...noise].join('\n'))).toEqual([
      'TypeError: x is not a function',
      own,
      ...noise.slice(-5),
    ]);
  });

  it.each([
    ['of Go', 'panic: open config.yaml: no such file or directory'],
    ['of Ruby', "app.rb:3:in '<main>': DATABASE_URL is not set (KeyError)"],
    ['of Python', 'django.core.exceptions.ImproperlyConfigured.SomeError: SECRET_KEY must not be empty'],
    ['of Java', 'Exception in thread "main" java.lang.IllegalStateException: no port'],
    ['of Rust', "thread 'main' panicked at src/main.rs:2:5:"],
    ['of npm', 'npm error 404 Not Found - GET https://registry.example.com/no-such-package'],
    ['of the shell', 'sh: 1: tsc: not found'],
  ])('contain the error %s', (_, error) => {
    const lines = failureLinesOf([error, ...Array.from({ length: 9 }, (_, at) => `then ${at}`)].join('\n'));
    expect(lines[0]).toBe(error);
    expect(lines).toHaveLength(6);
  });

  it('name the last of several errors, and every line once', () => {
    expect(failureLinesOf('Error: first\nretrying\nError: second')).toEqual([
      'Error: first',
      'retrying',
      'Error: second',
    ]);
  });

  it('leave out lines that may end within a secret', () => {
    expect(failureLinesOf(`Error: ${'x'.repeat(600)}\nthe end`)).toEqual(['the end']);
  });
});
