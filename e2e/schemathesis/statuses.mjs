/** The response statuses of a run, from its HAR report. */
import { readFileSync } from 'node:fs';
import { BUSY } from './checks.mjs';

/** A smaller number of calls can all fall into a moment of overload. */
const ENOUGH_CALLS = 3;

const patternOf = path => new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`);

/** @returns for each called operation: its title, the number of calls, and the number per status. */
export const answersOf = (harFile, operations) => {
  const { log } = JSON.parse(readFileSync(harFile, 'utf8'));
  const known = operations.map(({ method, path }) => ({
    title: `${method} ${path}`,
    method,
    pattern: patternOf(path),
  }));
  // If `/a/{id}` and `/a/b` both match, the path without a parameter is used.
  known.sort((a, b) => a.title.split('{').length - b.title.split('{').length);
  const found = new Map();
  for (const { request, response } of log.entries) {
    const path = new URL(request.url).pathname;
    const title = known.find(one => one.method === request.method && one.pattern.test(path))?.title;
    if (title === undefined) continue;
    const answers = found.get(title) ?? { title, calls: 0, statuses: new Map() };
    answers.calls += 1;
    answers.statuses.set(response.status, (answers.statuses.get(response.status) ?? 0) + 1);
    found.set(title, answers);
  }
  return [...found.values()];
};

const hasSuccess = ({ statuses }) => [...statuses.keys()].some(status => status >= 200 && status < 300);

/**
 * Prints the calls of each operation, and the operations that never succeeded or returned nothing but {@link BUSY}.
 * @returns whether there are none. If `isPart`, only the called operations have to succeed.
 */
export const printAnswers = (url, answers, operations, isPart) => {
  const calls = answers.reduce((sum, answer) => sum + answer.calls, 0);
  const withStatus = fits =>
    answers
      .flatMap(({ statuses }) => [...statuses])
      .reduce((sum, [status, count]) => sum + (fits(status) ? count : 0), 0);
  const percent = count => `${((100 * count) / Math.max(1, calls)).toFixed(1)} %`;
  for (const { title, calls: own, statuses } of answers.toSorted((a, b) => a.title.localeCompare(b.title))) {
    const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
    console.log(`  ${String(own).padStart(5)} ${title}: ${counts.join(', ')}`);
  }
  console.log(
    `▸ ${url}: ${calls} calls of ${answers.length} operations of ${operations.length}; ` +
      `${percent(withStatus(status => status >= 200 && status < 300))} answered 2xx, ` +
      `${percent(withStatus(status => status === 404))} 404, ${percent(withStatus(status => status === BUSY))} ${BUSY}`,
  );
  const succeeded = new Set(answers.filter(hasSuccess).map(({ title }) => title));
  const called = isPart ? answers : operations.map(({ method, path }) => ({ title: `${method} ${path}` }));
  const without = called.filter(({ title }) => !succeeded.has(title));
  console.log(`▸ ${succeeded.size} operations have succeeded`);
  for (const { title } of without) console.log(`✗ ${title} has never succeeded`);
  const silent = answers.filter(({ calls, statuses }) => calls >= ENOUGH_CALLS && statuses.get(BUSY) === calls);
  for (const { title } of silent) console.log(`✗ ${title} answered nothing but ${BUSY}`);
  return silent.length + without.length === 0;
};
