import { type Builder, commandStart } from './build-plan.js';

const RUBY = [
  { program: 'ruby', install: 'Ruby' },
  { program: 'bundle', install: 'Bundler (gem install bundler)' },
] as const;

const MAINS = ['app.rb', 'main.rb', 'server.rb'] as const;

/** Projects with a Gemfile: Rails, and other Rack applications. */
export const ruby: Builder = async project => {
  if (!(await project.has('Gemfile'))) return undefined;
  const isRails = await project.has('bin/rails');
  const install = 'bundle config set --local path vendor/bundle && bundle install';
  const assets = isRails ? ' && SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile' : '';
  const programs = await Promise.all(['config.ru', ...MAINS].map(file => project.has(file)));
  return {
    isOnlyTools: !isRails && !programs.includes(true),
    rules: ['Gemfile found: bundle install', ...(isRails ? ['bin/rails found: rails assets:precompile'] : [])],
    command: install + assets,
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
