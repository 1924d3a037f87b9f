import type { Finding } from '../preflight/finding.js';
import { DAY_MS, forecastText } from './forecast.js';
import type { Storage } from './samples.js';

const WARNING_DAYS = 30;
const BAD_DAYS = 7;

/** When the disk will be full, at the growth of the last week. */
export const fullFinding = ({ forecast, freeBytes }: Storage, now = new Date()): Finding => {
  const days = forecast.fullAt ? (forecast.fullAt.getTime() - now.getTime()) / DAY_MS : Number.POSITIVE_INFINITY;
  return {
    check: 'storage',
    verdict: days < BAD_DAYS ? 'bad' : days < WARNING_DAYS ? 'warning' : 'good',
    found: forecastText(forecast, freeBytes),
    advice: 'See "postern storage". Enlarge the disk, or store less: retention and backup.keep in config.yaml.',
  };
};
