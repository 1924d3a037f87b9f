/** What the calls of a run were answered with, from its HAR report. */
import { readFileSync } from 'node:fs';

const patternOf = path => new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`);

/** @returns the share of successes, and the operations that had none. */
export const summaryOf = (harFile, operations) => {
  const { log } = JSON.parse(readFileSync(harFile, 'utf8'));
  const calls = log.entries.map(({ request, response }) => ({
    method: request.method,
    path: new URL(request.url).pathname,
    isSuccess: response.status >= 200 && response.status < 300,
    status: response.status,
  }));
  const known = operations.map(({ method, path }) => ({
    title: `${method} ${path}`,
    method,
    pattern: patternOf(path),
  }));
  const succeeded = new Set();
  const called = new Map();
  for (const { method, path, isSuccess, status } of calls) {
    // Of `/a/{id}` and `/a/b`, the one without a parameter.
    const fitting = known.filter(one => one.method === method && one.pattern.test(path));
    const title = fitting.sort((a, b) => a.title.split('{').length - b.title.split('{').length)[0]?.title;
    if (title === undefined) continue;
    if (isSuccess) succeeded.add(title);
    called.set(title, (called.get(title) ?? new Set()).add(status));
  }
  return {
    calls: calls.length,
    successes: calls.filter(({ isSuccess }) => isSuccess).length,
    notFound: calls.filter(({ status }) => status === 404).length,
    operations: called.size,
    succeeded: succeeded.size,
    without: [...called].filter(([title]) => !succeeded.has(title)).map(([title, seen]) => `${title}: ${[...seen]}`),
  };
};
