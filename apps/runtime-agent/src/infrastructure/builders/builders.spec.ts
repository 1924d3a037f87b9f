import { describe, expect, it } from '@jest/globals';
import { BuildFailed } from '@postern/runtime';
import { buildPlanFor, requireTools } from './builders.js';
import { processTypes, procfileRules } from './procfile.js';
import { machineWith } from './testing/machine-with.js';
import { projectOf } from './testing/project-of.js';

type Files = Readonly<Record<string, string | object>>;

const HERE = machineWith('python3=python3.11', 'python3.11', 'python3.13', 'deno', 'npm');

const built = async (source: Files, result: Files = source) => {
  const buildPlan = await buildPlanFor(projectOf(source), HERE);
  return { buildPlan, start: await buildPlan.start?.(projectOf(result)) };
};

describe('The build plan', () => {
  it.each<readonly [string, Files, string, string]>([
    [
      'requirements.txt with Flask',
      { 'requirements.txt': 'flask', 'app.py': 'from flask import Flask\napp = Flask(__name__)\n' },
      'requirements.txt found: pip install -r requirements.txt',
      '.venv/bin/python -m gunicorn.app.wsgiapp --bind "0.0.0.0:$PORT" app:app',
    ],
    [
      'requirements.txt with FastAPI in a package',
      { 'requirements.txt': 'fastapi', 'src/main.py': 'api = FastAPI(title="x")\n' },
      'requirements.txt found: pip install -r requirements.txt',
      '.venv/bin/python -m uvicorn --host 0.0.0.0 --port "$PORT" src.main:api',
    ],
    [
      'requirements.txt with an annotated FastAPI',
      { 'requirements.txt': 'fastapi', 'main.py': 'api : fastapi.FastAPI = fastapi.FastAPI()\r\n' },
      'requirements.txt found: pip install -r requirements.txt',
      '.venv/bin/python -m uvicorn --host 0.0.0.0 --port "$PORT" main:api',
    ],
    [
      'a factory of Flask',
      {
        'requirements.txt': 'flask',
        'shop/__init__.py': 'def create_app(test_config=None):\n  app = Flask(__name__)\n',
      },
      'requirements.txt found: pip install -r requirements.txt',
      `.venv/bin/python -m gunicorn.app.wsgiapp --bind "0.0.0.0:$PORT" 'shop:create_app()'`,
    ],
    [
      'a factory of Flask that takes a configuration',
      {
        'requirements.txt': 'flask',
        'shop/__init__.py': 'def create_app(config):\n  app = Flask(__name__)\n',
        'run.py': 'from shop import create_app\n\napp = create_app(config)\n',
      },
      'requirements.txt found: pip install -r requirements.txt',
      '.venv/bin/python -m gunicorn.app.wsgiapp --bind "0.0.0.0:$PORT" run:app',
    ],
    [
      'a factory of FastAPI',
      {
        'requirements.txt': 'fastapi',
        'shop/factory.py': 'def create_app(config):\n  app = FastAPI()\n',
        'shop/main.py': 'from shop.factory import create_app\n\napp = create_app(config)\n',
      },
      'requirements.txt found: pip install -r requirements.txt',
      '.venv/bin/python -m uvicorn --host 0.0.0.0 --port "$PORT" shop.main:app',
    ],
    [
      'Streamlit',
      { 'requirements.txt': 'streamlit', 'setup.py': '', 'streamlit_app.py': 'import streamlit as st\n' },
      'requirements.txt found: pip install -r requirements.txt',
      '.venv/bin/python -m streamlit run --server.address 0.0.0.0 --server.port "$PORT" --server.headless true --browser.gatherUsageStats false \'streamlit_app.py\'',
    ],
    [
      'Streamlit with several pages',
      {
        'requirements.txt': 'streamlit',
        'pages/1_Sales.py': 'import streamlit as st\n',
        'Home.py': 'from streamlit import title\n',
        'charts.py': 'import streamlit as st\n',
      },
      'requirements.txt found: pip install -r requirements.txt',
      '.venv/bin/python -m streamlit run --server.address 0.0.0.0 --server.port "$PORT" --server.headless true --browser.gatherUsageStats false \'Home.py\'',
    ],
    [
      'Gradio',
      { 'requirements.txt': 'gradio', 'app.py': 'import gradio as gr\ngr.Interface().launch()\n' },
      'requirements.txt found: pip install -r requirements.txt',
      'GRADIO_SERVER_NAME=0.0.0.0 GRADIO_SERVER_PORT="$PORT" .venv/bin/python app.py',
    ],
    [
      'Gradio in a FastAPI',
      { 'requirements.txt': 'gradio', 'app.py': 'import gradio as gr\napp = FastAPI()\n' },
      'requirements.txt found: pip install -r requirements.txt',
      '.venv/bin/python -m uvicorn --host 0.0.0.0 --port "$PORT" app:app',
    ],
    [
      'Django with uv',
      { 'uv.lock': '', 'manage.py': '', 'shop/settings.py': "WSGI_APPLICATION = 'shop.wsgi.application'\n" },
      'uv.lock found: uv sync --frozen --no-dev',
      '.venv/bin/python -m gunicorn.app.wsgiapp --bind "0.0.0.0:$PORT" shop.wsgi:application',
    ],
    [
      'a Pipfile with its lock file',
      { Pipfile: '', 'Pipfile.lock': '{}', 'app.py': 'print()' },
      'Pipfile.lock found: pipenv sync',
      '.venv/bin/python app.py',
    ],
    [
      'pyproject.toml that makes no package',
      { 'pyproject.toml': '[project]\nname = "x"\n', 'main.py': 'app = FastAPI()' },
      'pyproject.toml without a build system found: uv sync --no-dev',
      '.venv/bin/python -m uvicorn --host 0.0.0.0 --port "$PORT" main:app',
    ],
    [
      'poetry.lock and a program',
      { 'poetry.lock': '', 'pyproject.toml': '', 'main.py': 'print()' },
      'poetry.lock found: poetry install --only main --no-root',
      '.venv/bin/python main.py',
    ],
  ])('of Python: %s', async (_, source, rule, command) => {
    const { buildPlan, start } = await built(source);
    expect(buildPlan.rules[0]).toBe(rule);
    expect(start).toEqual({ kind: 'command', command });
  });

  it('of Django collects the static files if the settings have a STATIC_ROOT', async () => {
    const { buildPlan } = await built({
      'requirements.txt': '',
      'manage.py': '',
      'shop/settings.py': 'STATIC_ROOT = "x"',
    });
    expect(buildPlan.command).toMatch(/manage\.py collectstatic --noinput$/);
  });

  it.each<readonly [string, Files, Files, string, string]>([
    [
      'Go',
      { 'go.mod': 'module example.org/shop/v2\n' },
      { 'bin/shop': '', 'bin/tool': '' },
      'go.mod found',
      './bin/shop',
    ],
    [
      'Java with Quarkus, whose other jar cannot be run',
      { 'pom.xml': '' },
      { 'target/shop-1.0.jar': '', 'target/quarkus-app/quarkus-run.jar': '' },
      'pom.xml found',
      'java -Dserver.port="$PORT" -Dquarkus.http.port="$PORT" -Dmicronaut.server.port="$PORT" -jar target/quarkus-app/quarkus-run.jar',
    ],
    [
      'Ruby with Rack',
      { Gemfile: '' },
      { 'config.ru': '' },
      'Gemfile found',
      'bundle exec rackup --host 0.0.0.0 --port "$PORT"',
    ],
    ['PHP', { 'index.php': '' }, { 'index.php': '' }, 'index.php found', 'php -S "0.0.0.0:$PORT" -t .'],
    [
      'Rust',
      { 'Cargo.toml': '[package]\nname = "shop"\n' },
      { 'target/release/shop': '' },
      'Cargo.toml found',
      './target/release/shop',
    ],
    [
      'Deno',
      { 'deno.json': '{"tasks":{"start":"deno run main.ts"}}', 'main.ts': '' },
      {},
      'deno.json found',
      'DENO_DIR="$PWD/.deno" deno task start',
    ],
  ])('of %s', async (_, source, result, rule, command) => {
    const { buildPlan, start } = await built(source, result);
    expect(buildPlan.rules[0]).toContain(rule);
    expect(start).toEqual({ kind: 'command', command });
  });

  it('of Deno is detected by APIs that the main module uses', async () => {
    const { buildPlan } = await built({ 'src/index.ts': 'Deno.serve(() => new Response("hi"))' });
    expect(buildPlan.rules).toEqual(['src/index.ts found: deno run src/index.ts']);
  });

  it('of Python states the version that the project requires', async () => {
    const { buildPlan } = await built({ 'requirements.txt': '', '.python-version': '3.14\n' });
    expect(buildPlan.rules[1]).toBe(
      '.python-version requires Python 3.14, which is not on this machine: uv installs it',
    );
    expect(buildPlan.command).toMatch(/ python3\.13 -m venv \.venv; }; } && /);
  });

  it('of Java runs the archive that Maven has built, not the sources archive', async () => {
    const { start } = await built({ 'pom.xml': '' }, { 'target/shop-1-sources.jar': '', 'target/shop-1.jar': '' });
    expect(start).toMatchObject({ command: expect.stringMatching(/^java .* -jar target\/shop-1\.jar$/) });
  });

  it('is that of Node.js beside other manifests if the Procfile starts Node.js', async () => {
    const { buildPlan } = await built({ Procfile: 'web: npm start', Gemfile: '', 'package.json': '{}' });
    expect(buildPlan.rules[0]).toContain('package.json');
  });

  it.each<readonly [string, Files, string]>([
    ['a requirements.txt without requirements', { 'requirements.txt': '# none\n' }, 'npm install'],
    ['a Gemfile of tools', { Gemfile: "gem 'fastlane'\n" }, 'npm install'],
    ['a go.mod of tools', { 'go.mod': 'module tools\n', 'tools/tools.go': 'package main\n' }, 'npm install'],
    ['Python packages that its programs use', { 'requirements.txt': 'pillow' }, 'pip install -r requirements.txt'],
  ])('is that of Node.js, which starts the web service, beside %s', async (_, files, installs) => {
    const { buildPlan, start } = await built({
      'package.json': { dependencies: { ms: '2' }, scripts: { start: 'node server.js' } },
      'server.js': '',
      ...files,
    });
    expect(buildPlan.command).toMatch(/^npm install && /);
    expect(buildPlan.command).toContain(installs);
    expect(start).toBeUndefined();
  });

  it.each<readonly [string, Files, string]>([
    ['Python', { 'requirements.txt': 'flask', 'app.py': 'app = Flask(__name__)' }, 'pip install'],
    ['Ruby', { Gemfile: '', 'config.ru': '' }, 'bundle install'],
    ['PHP', { 'composer.json': '{"require":{"a/b":"1"}}', 'public/index.php': '' }, 'composer install'],
  ])('of %s builds the assets that package.json describes first', async (_, files, installs) => {
    const source = { 'package.json': { devDependencies: { vite: '7' }, scripts: { build: 'vite build' } }, ...files };
    const { buildPlan } = await built(source);
    expect(buildPlan.rules).toContain('package.json has a build script: npm run build');
    const failed = `echo 'The packages or the build script of package\\.json failed: .*'; false`;
    expect(buildPlan.command).toMatch(
      new RegExp(`^{ { npm install && npm run build --if-present; } \\|\\| { ${failed}; }; } && .*${installs}`),
    );
  });

  it.each<readonly [string, Files, string]>([
    [
      'whose package lies in a folder for sources',
      { 'src/app/main.py': 'from app.words import WORD\napp = FastAPI()\n', 'src/app/words.py': '' },
      `--app-dir 'src' app.main:app`,
    ],
    [
      'that imports from the root folder',
      { 'src/main.py': 'from src.words import WORD\napp = FastAPI()\n', 'src/words.py': '' },
      '"$PORT" src.main:app',
    ],
    [
      'that imports its neighbours',
      { 'api/main.py': 'import words\napp = FastAPI()\n', 'api/words.py': '' },
      `--app-dir 'api' main:app`,
    ],
  ])('of Python serves an application %s', async (_, files, end) => {
    const { start } = await built({ 'requirements.txt': 'fastapi', ...files });
    expect(start).toMatchObject({ command: expect.stringMatching(new RegExp(`${end.replace('$', '\\$')}$`)) });
  });

  it('names the missing tool and how to install it', async () => {
    const { buildPlan } = await built({ Gemfile: '' });
    expect(() => requireTools(buildPlan, machineWith())).toThrow(BuildFailed);
    expect(() => requireTools(buildPlan, machineWith())).toThrow(
      'Gemfile found: bundle install, but this machine has no ruby and bundle: install Ruby and Bundler (gem install bundler) on it',
    );
    expect(() => requireTools({ rules: [] }, machineWith())).not.toThrow();
  });
});

describe('A Procfile', () => {
  const text = 'web: node server.js\r\nrelease: npm run migrate\nworker: node worker.js\n# comment\n';

  it('has a command for each process type', () => {
    expect(processTypes(text)).toEqual({ web: 'node server.js', release: 'npm run migrate', worker: 'node worker.js' });
  });

  it('is reported in the log, with the process types that do not run', () => {
    expect(procfileRules(text)).toEqual([
      'Procfile found: web is started by node server.js',
      'Procfile: worker found; the setting "processes" determines how many of them run',
      'Procfile: release found; it runs if it is set as release_command',
    ]);
    expect(procfileRules('')).toEqual([]);
  });
});
