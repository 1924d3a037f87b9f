import { describe, expect, it } from '@jest/globals';
import { adviceIn } from './build-failure-advice.js';
import { longTexts } from './testing/long-texts.js';

describe('A failed build', () => {
  it.each<readonly [string, string, RegExp]>([
    [
      'pip without a new enough Python',
      'ERROR: Ignored the following versions that require a different python version: 6.0 Requires-Python >=3.12\nERROR: Could not find a version that satisfies the requirement django<6.1,>=6.0 (from versions: 5.2)\nERROR: No matching distribution found for django<6.1,>=6.0\n',
      /^django<6\.1,>=6\.0 needs Python >=3\.12: add a file \.python-version/,
    ],
    [
      'a Go that is too old to download another one',
      "go: errors parsing go.mod:\n/app/go.mod:3: invalid go version '1.25.0': must match format 1.23\n",
      /^go\.mod needs Go 1\.25\.0 and this machine has an older one than 1\.21: install Go 1\.25\.0 or newer there$/,
    ],
    [
      'Vite without an optional package',
      '[vite]: Rollup failed to resolve import "sharp" from "/app/node_modules/astro/dist/assets/services/sharp.js".\n',
      /^the package sharp is not installed: add it to the dependencies;/,
    ],
    [
      'pip with a package that does not exist',
      'ERROR: Could not find a version that satisfies the requirement shop==9 (from versions: 1.0)\nERROR: No matching distribution found for shop==9\n',
      /^no version of shop==9 can be installed: .*correct its name or version/,
    ],
    [
      'npm with a package that does not exist',
      "npm error code E404\nnpm error 404 Not Found - GET https://registry.example/@ada%2fshop - Not found\nnpm error 404  '@ada/shop@^1.0.0' is not in this registry.\n",
      /^no version of @ada\/shop@\^1\.0\.0 can be installed: .*correct its name or version/,
    ],
    [
      'Yarn with a package that does not exist',
      '➤ YN0035: │ @ada/shop@npm:0.4.12: Package not found\n',
      /^no version of @ada\/shop@npm:0\.4\.12 can be installed: .*correct its name or version/,
    ],
    [
      'Pipenv with an old lock file',
      'pipenv.vendor.plette.models.base.DataValidationError: Missing required field: name\n',
      /^Pipfile\.lock is from an old Pipenv and has no name in a source: add name to each \[\[source\]\]/,
    ],
    [
      'Next.js without the fonts of Google',
      'There was an issue establishing a connection while requesting https://fonts.googleapis.com/css2?family=Geist\n',
      /^fonts\.googleapis\.com cannot be reached from this machine: .* or add what the build downloads/,
    ],
    [
      'a compiler without a header',
      '  plugins/python/uwsgi_python.h:4:10: fatal error: Python.h: No such file or directory\n',
      /^a package is compiled and this machine has no Python\.h: install the package with this file there/,
    ],
    [
      'pip with a package for another Python',
      "ERROR: Package 'shop' requires a different Python: 3.11.7 not in '>=3.13'\n",
      /^the project needs Python >=3\.13 and has 3\.11\.7: install/,
    ],
    [
      'uv with a Python that is too old',
      "error: The requested interpreter resolved to Python 3.13.0, which is incompatible with the project's Python requirement: `>=3.14`\n",
      /^the project needs Python >=3\.14: install/,
    ],
    [
      'pnpm without the token of a registry',
      ' WARN  Issue while reading "/app/.npmrc". Failed to replace env in config: $' +
        '{NPM_TOKEN}\n ERR_PNPM_FETCH_401  GET https://npm.example.com/@ada%2Fshop: Unauthorized - 401\n https://npm.example.com/@ada%2Fshop\n',
      /^npm\.example\.com refused a download \(401 or 403\): set the variable NPM_TOKEN, which \.npmrc uses$/,
    ],
    [
      'npm with a registry that refuses',
      'npm error code E401\nnpm error 401 Unauthorized - GET https://npm.example.com/@ada%2fshop - unauthorized\n',
      /^npm\.example\.com refused a download \(401\): set a variable with its credentials/,
    ],
    [
      'Python without venv',
      'The virtual environment was not created because ensurepip is not available.',
      /python3-venv/,
    ],
    [
      'psycopg2 without PostgreSQL',
      'Error: pg_config executable not found.\n',
      /newer psycopg2-binary, or install libpq-dev/,
    ],
    [
      'Maven with an old JDK',
      '[ERROR] error: release version 21 not supported\n',
      /^the project needs Java 21: install a JDK/,
    ],
    [
      'Yarn with a package for another Node.js',
      'error strapi@4.1.7: The engine "node" is incompatible with this module. Expected version ">=12.22.0 <=16.x.x". Got "24.21.0"\n',
      /^strapi@4\.1\.7 needs Node\.js >=12\.22\.0 <=16\.x\.x and has 24\.21\.0: write such a version into a file \.nvmrc/,
    ],
    [
      'npm with an old lock file',
      '`npm ci` can only install packages when your package.json and package-lock.json\n',
      /^package-lock\.json does not match package\.json: run npm install and commit/,
    ],
    ['pnpm with an old lock file', ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install\n', /run pnpm install and commit/],
    [
      'Yarn with an old lock file',
      'error Your lockfile needs to be updated, but yarn was run with --frozen-lockfile\n',
      /run yarn install and commit/,
    ],
    ['node-gyp without a compiler', 'gyp ERR! stack Error: not found: make\n', /build-essential/],
    ['Cargo without a linker', 'error: linker `cc` not found\n', /build-essential/],
    [
      'Go that is too old',
      'go: errors parsing go.mod:\ngo: go.mod requires go >= 1.30 (running go 1.26.8; GOTOOLCHAIN=local)\n',
      /^go\.mod needs Go 1\.30 and this machine has 1\.26\.8/,
    ],
    [
      'Bundler with another Ruby',
      'Your Ruby version is 3.1.7, but your Gemfile specified 3.4.5\n',
      /^the Gemfile requires Ruby 3\.4\.5 and this machine has 3\.1\.7/,
    ],
    [
      'Deno without a host',
      'error sending request for url (https://deno.example/x.ts): client error (Connect): dns error: failed\n',
      /^deno\.example cannot be reached/,
    ],
    [
      'a host that cannot be reached',
      'npm error request to https://x failed, reason: getaddrinfo EAI_AGAIN fonts.example.com\n',
      /^fonts\.example\.com cannot be reached/,
    ],
    [
      'Cargo with a missing program',
      'error: failed to run custom build command\n  failed to execute command: "cc" "-O3": No such file or directory\n',
      /build-essential/,
    ],
    [
      'uv without a host',
      'error: client error (Connect): dns error: failed to look up address for host pypi.example\n',
      /^pypi\.example cannot be reached/,
    ],
    [
      'pip without a host',
      "WARNING: Failed to establish a new connection: host='pypi.example', port=443\n",
      /^pypi\.example cannot be reached/,
    ],
  ])('of %s names the fix', (_, output, message) => {
    expect(adviceIn(`before\n${output}after\n`)).toMatch(message);
  });

  // The runtimes keep 32,768 characters of the output; patterns that are not linear take minutes to hours for these texts.
  it('with a long run of the same characters does not delay the agent', () => {
    const tokens = [
      'Requires-Python >=3.0\nq',
      'No matching distribution found for ',
      'requires a different Python: a not in ',
      'Python requirement: ',
      'The current Python version (',
      'Your Ruby version is ',
      'go.mod requires go >= ',
      'release version ',
      'command',
      'command gcc ',
      'gcommand+g++',
      'dns error for host',
      'error sending request for url (http://a',
      'Failed to resolve',
      "host='",
    ];
    for (const text of longTexts(tokens, tokens, 32_768)) expect(() => adviceIn(text)).not.toThrow();
  });

  it('with unknown output has no advice', () => {
    expect(adviceIn('TypeError: x is not a function\n')).toBeUndefined();
  });
});
