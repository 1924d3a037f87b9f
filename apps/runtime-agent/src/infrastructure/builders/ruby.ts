import { type Builder, commandStart, staticStart } from './build-plan.js';

const RUBY = [
  { program: 'ruby', install: 'Ruby' },
  { program: 'bundle', install: 'Bundler (gem install bundler)' },
] as const;

const INSTALL = 'bundle config set --local path vendor/bundle && bundle install';
const MAINS = ['app.rb', 'main.rb', 'server.rb'] as const;

/** Projects with a Gemfile: Rails, other Rack applications, and sites of Jekyll. */
export const ruby: Builder = async project => {
  const gems = await project.readBeginning('Gemfile');
  if (gems === undefined) return undefined;
  if (/^[ \t]*gem[ \t]+["'](?:jekyll|github-pages)["']/m.test(gems) && (await project.has('_config.yml')))
    return {
      rules: ['Gemfile with Jekyll found: bundle install && jekyll build'],
      command: `${INSTALL} && bundle exec jekyll build`,
      environment: { JEKYLL_ENV: 'production' },
      needs: RUBY,
      start: async () => staticStart('_site'),
    };
  const isRails = await project.has('bin/rails');
  const assets = isRails ? ' && SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile' : '';
  const programs = await Promise.all(['config.ru', ...MAINS].map(file => project.has(file)));
  return {
    isOnlyTools: !isRails && !programs.includes(true),
    rules: ['Gemfile found: bundle install', ...(isRails ? ['bin/rails found: rails assets:precompile'] : [])],
    command: INSTALL + assets,
    environment: { RAILS_ENV: 'production', RACK_ENV: 'production' },
    needs: RUBY,
    start: async built => {
      if (isRails) return commandStart('bundle exec rails server -b 0.0.0.0 -p "$PORT"');
      if (await built.has('config.ru')) return commandStart('bundle exec rackup --host 0.0.0.0 --port "$PORT"');
      for (const file of MAINS) if (await built.has(file)) return commandStart(`bundle exec ruby ${file}`);
      return undefined;
    },
  };
};
