/**
 * `npm run schemathesis`: starts Postern, creates a resource for every path, and runs schemathesis over both OpenAPI
 * documents. By hand, because it is a program of Python: pip install 'schemathesis>=4.32,<5'
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { prepare, ROOT, toolEnvironment } from '../../tools/setup/prepare.mjs';
import { writeConfiguration } from './configuration.mjs';
import { summaryOf } from './statuses.mjs';

const PROGRAM = process.env.SCHEMATHESIS ?? 'schemathesis';
/** Not checked: rules of the domain refuse more than a schema does, and the parser of Node.js refuses QUERY with 400. */
const CHECKS =
  'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,' +
  'response_headers_conformance,negative_data_rejection,ignored_auth';
/** These end the session of the run, or the workspace that it acts in. */
const ENDS_SESSION = '/dashboard/api/(session|sessions|me/password|workspaces/[^/]+(/leave)?$)';

const run = async (command, args, options = {}) => {
  const child = spawn(command, args, { stdio: 'inherit', ...options });
  const [code] = await Promise.race([
    once(child, 'exit'),
    once(child, 'error').then(([error]) => Promise.reject(error)),
  ]);
  return code ?? 1;
};

const isInstalled = () =>
  run(PROGRAM, ['--version'], { stdio: 'ignore' }).then(
    code => code === 0,
    () => false,
  );

/** What the program of the stories prints when its Postern is ready, and the process. */
const startPostern = async () => {
  const program = join(ROOT, 'e2e/dist/shared-postern-main.js');
  const child = spawn('node', [program], { stdio: ['pipe', 'pipe', 'inherit'], env: toolEnvironment() });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, ...JSON.parse(line) };
};

const checkDocument = async (url, headers, operations, ...more) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-schemathesis-'));
  const [configuration, report] = [join(folder, 'schemathesis.toml'), join(folder, 'report.har')];
  writeConfiguration(configuration, operations);
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const fixed = ['--checks', CHECKS, '--phases', 'examples,coverage,fuzzing', '--max-examples', '20'];
  const reported = ['--report', 'har', '--report-har-path', report];
  const options = [...given, ...fixed, ...reported, ...more, ...process.argv.slice(2)];
  try {
    const code = await run(PROGRAM, ['--config-file', configuration, 'run', url, ...options]);
    printSummary(url, summaryOf(report, operations));
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const printSummary = (url, { calls, successes, notFound, operations, succeeded, without }) => {
  const percent = count => `${((100 * count) / Math.max(1, calls)).toFixed(0)} %`;
  console.log(`▸ ${url}: ${calls} calls, ${percent(successes)} answered 2xx, ${percent(notFound)} 404`);
  console.log(`▸ ${succeeded} of ${operations} operations have succeeded. Without a success:`);
  for (const line of without) console.log(`  ${line}`);
};

if (!(await isInstalled())) {
  console.error(
    `${PROGRAM} was not found. Install it: pip install 'schemathesis>=4.32,<5', or set SCHEMATHESIS to its path.`,
  );
  process.exit(2);
}
await prepare(line => console.error(`▸ ${line}`));
const postern = await startPostern();
const receiver = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
await once(receiver, 'listening');
try {
  // Built by `prepare`.
  const { prepareWorkspace } = await import('../dist/access/prepared-operations.js');
  const receiverUrl = `http://127.0.0.1:${receiver.address().port}/`;
  console.error('▸ creating a resource for every path');
  const workspace = await prepareWorkspace(postern.baseUrl, postern.operator, receiverUrl);
  const { operations, sessionToken, platformKey, apiKey } = workspace;
  const codes = [
    await checkDocument(
      `${postern.baseUrl}/openapi.json`,
      { Authorization: `Bearer ${platformKey}`, 'Api-Key': apiKey },
      operations.filter(({ path }) => !path.startsWith('/dashboard/')),
    ),
    await checkDocument(
      `${postern.baseUrl}/dashboard/api/openapi.json`,
      { Authorization: `Bearer ${sessionToken}` },
      operations.filter(({ path }) => path.startsWith('/dashboard/')),
      '--exclude-path-regex',
      ENDS_SESSION,
    ),
  ];
  process.exitCode = codes.some(code => code !== 0) ? 1 : 0;
} finally {
  receiver.close();
  postern.child.stdin.end();
  await once(postern.child, 'exit');
}
