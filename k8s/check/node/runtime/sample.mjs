/** The web service that the stage deploys: it responds to requests, and fails on request. */
const SERVER = version => `
const { createServer } = require('node:http');
const held = [];
let isEnding = false;
const eat = () => { for (let n = 0; n < 32; n++) held.push(Buffer.alloc(2 ** 20, 1)); setTimeout(eat, 20); };
const work = until => { while (Date.now() < until); };
const answer = {
  '/crash': () => { console.error('crash on request'); process.exit(7); },
  '/eat': () => eat(),
  '/work': () => work(Date.now() + 200),
  '/say': () => console.log('the greeting is ' + process.env.GREETING + ', the secret is ' + process.env.PASSWORD),
};
const server = createServer((request, response) => {
  answer[request.url]?.();
  const { GREETING, PASSWORD, HOSTNAME } = process.env;
  response.setHeader('content-type', 'application/json');
  if (isEnding) response.setHeader('connection', 'close');
  response.end(JSON.stringify({ version: '${version}', greeting: GREETING, hasPassword: !!PASSWORD, instance: HOSTNAME }));
});
server.listen(process.env.PORT, () => console.log('version ${version} listens'));
process.on('SIGTERM', () => { isEnding = true; server.close(() => process.exit()); server.closeIdleConnections(); });
`;

const BUILD = version => `
const { writeFileSync } = require('node:fs');
console.log('built with ' + process.env.GREETING);
writeFileSync('built.txt', '${version}');
`;

const manifest = { name: 'sample', version: '1.0.0', scripts: { build: 'node build.cjs', start: 'node server.cjs' } };

/** @returns {Record<string, string>} the files of its repository. */
export const sample = version => ({
  'package.json': JSON.stringify(manifest),
  'build.cjs': BUILD(version),
  'server.cjs': SERVER(version),
});

/** A web service that exits before it listens. */
export const broken = () => ({
  ...sample('broken'),
  'server.cjs': `console.error('the database is not there'); process.exit(3);`,
});

/** A web service whose build fails. */
export const unbuildable = () => ({
  ...sample('unbuildable'),
  'build.cjs': `console.log('no such module'); process.exit(4);`,
});
