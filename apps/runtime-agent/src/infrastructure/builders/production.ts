/**
 * Tell frameworks of Node.js and Ruby that they run in production, and Python not to keep its output back. The variables of the
 * web service and of an image take precedence.
 */
export const PRODUCTION = {
  NODE_ENV: 'production',
  RAILS_ENV: 'production',
  RACK_ENV: 'production',
  PYTHONUNBUFFERED: '1',
} as const;

/** Variables of every build, which those of the plan and of the web service override. */
export const BUILD_DEFAULTS = {
  LANG: 'C.UTF-8',
  CI: 'true',
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  // The package would download a browser for tests from its own host.
  CYPRESS_INSTALL_BINARY: '0',
} as const;
