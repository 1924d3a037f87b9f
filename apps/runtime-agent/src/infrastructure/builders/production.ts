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
