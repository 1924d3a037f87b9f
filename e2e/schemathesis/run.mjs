/**
 * `npm run schemathesis -- --minutes 8 --seed 7`: starts Postern, creates a resource for every path, and runs schemathesis
 * over both OpenAPI documents. Run manually, because schemathesis is a Python program (README.md).
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { prepare, ROOT, toolEnvironment } from '../../tools/setup/prepare.mjs';
import { CHECKS } from './checks.mjs';
import { writeConfiguration, writeDocument } from './configuration.mjs';
import { optionsOf } from './options.mjs';
import { runInTime } from './progress.mjs';
import { answersOf, printAnswers } from './statuses.mjs';

const PROGRAM = process.env.SCHEMATHESIS ?? 'schemathesis';

/** Starts Postern. @returns what the program printed when Postern was ready, and the process. */
const startPostern = async () => {
  const program = join(ROOT, 'e2e/dist/shared-postern-main.js');
  const child = spawn('node', [program], { stdio: ['pipe', 'pipe', 'inherit'], env: toolEnvironment() });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, ...JSON.parse(line) };
};

/** @returns whether schemathesis found nothing, and every operation succeeded. */
const checkDocument = async (baseUrl, { path, headers }, operations, { seconds, seed, further }) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-schemathesis-'));
  const url = baseUrl + path;
  const files = ['schemathesis.toml', 'openapi.json', 'report.har'].map(name => join(folder, name));
  const [configuration, document, reportFile] = files;
  writeConfiguration(configuration, operations);
  await writeDocument(document, url, operations);
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const fixed = ['--checks', CHECKS, '--phases', 'examples,coverage,fuzzing'];
  const bounds = ['--max-time', String(seconds), '--max-examples', '20', '--seed', String(seed), '--workers', '1'];
  const reported = ['--report', 'har', '--report-har-path', reportFile, '--output-sanitize', 'false'];
  const place = ['run', document, '--url', baseUrl];
  const args = ['--config-file', configuration, ...place, ...given, ...fixed, ...bounds, ...reported, ...further];
  try {
    const code = await runInTime(PROGRAM, args, { reportFile, seconds });
    const haveSucceeded = printAnswers(url, answersOf(reportFile, operations), operations, further.length > 0);
    return code === 0 && haveSucceeded;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const checkBoth = async (postern, receiverUrl, { minutes, seed, further }) => {
  // Built by `prepare`.
  const { prepareWorkspace } = await import('../dist/access/prepared-operations.js');
  console.error('▸ creating a resource for every path');
  const workspace = await prepareWorkspace(postern, receiverUrl);
  const { operations, sessionToken, platformKey, apiKey } = workspace;
  const documents = [
    {
      path: '/openapi.json',
      headers: { Authorization: `Bearer ${platformKey}`, 'Api-Key': apiKey },
      fits: ({ path }) => !path.startsWith('/dashboard/'),
    },
    {
      path: '/dashboard/api/openapi.json',
      headers: { Authorization: `Bearer ${sessionToken}` },
      fits: ({ path }) => path.startsWith('/dashboard/'),
    },
  ];
  const results = [];
  for (const document of documents) {
    console.error(`▸ ${document.path}: creating what its operations need`);
    const own = await workspace.prepare(document.fits);
    // Each operation gets the same share of the time.
    const seconds = Math.ceil((minutes * 60 * own.length) / operations.length);
    console.error(`▸ ${document.path}: ${own.length} operations, ${seconds} s, seed ${seed}`);
    results.push(await checkDocument(postern.baseUrl, document, own, { seconds, seed, further }));
  }
  return results.every(Boolean);
};

if (spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).status !== 0) {
  console.error(
    `${PROGRAM} was not found. Install it: pip install 'schemathesis>=4.32,<5', or set SCHEMATHESIS to its path.`,
  );
  process.exit(2);
}
const options = optionsOf(process.argv.slice(2));
await prepare(line => console.error(`▸ ${line}`));
const postern = await startPostern();
const receiver = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
await once(receiver, 'listening');
try {
  const isRight = await checkBoth(postern, `http://127.0.0.1:${receiver.address().port}/`, options);
  process.exitCode = isRight ? 0 : 1;
} finally {
  receiver.close();
  postern.child.stdin.end();
  await once(postern.child, 'exit');
}
