/**
 * `npm run schemathesis`: starts Postern and runs schemathesis over both OpenAPI documents. By hand, because it is a
 * program of Python: pip install 'schemathesis>=4.32,<5'
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { prepare, ROOT, toolEnvironment } from '../../tools/setup/prepare.mjs';

const PROGRAM = process.env.SCHEMATHESIS ?? 'schemathesis';
/** Not checked: rules of the domain refuse more than a schema does, and the parser of Node.js refuses QUERY with 400. */
const CHECKS =
  'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,' +
  'response_headers_conformance,negative_data_rejection,ignored_auth';
/** These end the session of the run. */
const ENDS_SESSION = '/dashboard/api/(session|me/password)';

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

const credentialsIn = async ({ baseUrl, operator }) => {
  const post = async (path, body, headers = {}) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    };
    return (await fetch(`${baseUrl}/dashboard/api${path}`, init)).json();
  };
  const session = { authorization: `Bearer ${(await post('/session', operator)).token}` };
  const { id } = await post('/email-services', { name: 'schemathesis' }, session);
  const { key: apiKey } = await post(`/email-services/${id}/api-keys`, { name: 'schemathesis' }, session);
  const { key } = await post('/platform-keys', { name: 'schemathesis', scope: 'write' }, session);
  return { session: session.authorization, apiKey, platform: `Bearer ${key}` };
};

const checkDocument = (url, headers, ...more) => {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const fixed = ['--checks', CHECKS, '--phases', 'examples,coverage,fuzzing', '--max-examples', '20'];
  return run(PROGRAM, ['run', url, ...given, ...fixed, ...more, ...process.argv.slice(2)]);
};

if (!(await isInstalled())) {
  console.error(
    `${PROGRAM} was not found. Install it: pip install 'schemathesis>=4.32,<5', or set SCHEMATHESIS to its path.`,
  );
  process.exit(2);
}
await prepare(line => console.error(`▸ ${line}`));
const postern = await startPostern();
try {
  const { session, apiKey, platform } = await credentialsIn(postern);
  const codes = [
    await checkDocument(`${postern.baseUrl}/openapi.json`, { Authorization: platform, 'Api-Key': apiKey }),
    await checkDocument(
      `${postern.baseUrl}/dashboard/api/openapi.json`,
      { Authorization: session },
      '--exclude-path-regex',
      ENDS_SESSION,
    ),
  ];
  process.exitCode = codes.some(code => code !== 0) ? 1 : 0;
} finally {
  postern.child.stdin.end();
  await once(postern.child, 'exit');
}
