/** Compares the machine before and after a run: the number of resources of each kind, changes, and leftovers. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { changesBetween, leftovers, machineState, machineTicks } from './machine.mjs';
import { NODE_CACHE, RUN_PREFIX } from './settings.mjs';

const DIFFERENCES = join(NODE_CACHE, 'machine.diff');

const linesOf = (title, changes) => [
  `# ${title}`,
  ...changes.flatMap(({ kind, added, removed }) => [
    `@@ ${kind}`,
    ...removed.map(line => `-${line}`),
    ...added.map(line => `+${line}`),
  ]),
];

/** All changes, including those by other processes. */
const writeDifferences = ({ before, prepared }, after) =>
  writeFileSync(
    DIFFERENCES,
    [
      ...linesOf('from before the preparation to before the stages', changesBetween(before, prepared)),
      ...linesOf('from before the stages to the end', changesBetween(prepared, after)),
      ...linesOf('from before the preparation to the end', changesBetween(before, after)),
      '',
    ].join('\n'),
  );

/** @returns {Promise<boolean>} whether the machine is as it was, apart from what others do meanwhile. */
export const compare = async (states, folder) => {
  const file = `${folder}.namespaces`;
  // A run that was stopped early has not written any.
  const namespaces = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  rmSync(file, { force: true });
  const builds = `${RUN_PREFIX}builds-${process.pid}`;
  // Another run may be under way.
  const isOurs = line => !line.includes(RUN_PREFIX) || line.includes(basename(folder)) || line.includes(builds);
  const marks = [basename(folder), builds, 'kubepods', ...namespaces];
  const leftIn = after => leftovers(changesBetween(states.before, after), marks).filter(isOurs);
  const ended = machineTicks();
  let after = machineState(ended);
  for (let tries = 0; tries < 5 && leftIn(after).length > 0; tries++) {
    await pause(2_000);
    after = machineState(ended);
  }
  for (const [kind, lines] of Object.entries(after)) {
    const counts = [states.before[kind].length, states.prepared[kind].length, lines.length];
    console.log(`  ${kind}: ${counts[0]} before, ${counts[1]} before the stages, ${counts[2]} afterwards`);
  }
  writeDifferences(states, after);
  console.log(`  what has changed, also by others, is in ${DIFFERENCES}`);
  const left = leftIn(after);
  for (const line of left) console.error(`  left over: ${line}`);
  if (left.length === 0) console.log('✓ the machine is as it was before');
  return left.length === 0;
};
