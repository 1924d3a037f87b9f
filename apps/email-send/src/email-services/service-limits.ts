/** Limits that an operator set for one service; absent limits follow the platform's defaults. */
export interface ServiceLimits {
  readonly sandbox_daily?: number | undefined;
  readonly sandbox_per_minute?: number | undefined;
  readonly production_per_minute?: number | undefined;
  readonly production_daily_ceiling?: number | undefined;
}

/** The platform's defaults: messages per UTC day and per minute. */
export interface DefaultLimits {
  readonly sandboxDaily: number;
  readonly sandboxPerMinute: number;
  readonly productionPerMinute: number;
  readonly productionDailyStart: number;
  readonly productionDailyCeiling: number;
}

/** What the limits of a service depend on. */
interface LimitedService {
  readonly mode: 'sandbox' | 'production';
  readonly limits: ServiceLimits;
  /** Defined for services in production. */
  readonly dailyQuota: number | undefined;
}

/**
 * The limits of a service: messages per UTC day and per minute, and per day through the shared sender to recipients that
 * are not verified, which stays as low in production as in the sandbox.
 */
export function limitsOf(
  { mode, limits, dailyQuota }: LimitedService,
  defaults: DefaultLimits,
): { readonly daily: number; readonly perMinute: number; readonly sharedDaily: number } {
  const sharedDaily = limits.sandbox_daily ?? defaults.sandboxDaily;
  return mode === 'sandbox'
    ? {
        daily: sharedDaily,
        sharedDaily,
        perMinute: limits.sandbox_per_minute ?? defaults.sandboxPerMinute,
      }
    : {
        daily: Math.min(
          dailyQuota ?? defaults.productionDailyStart,
          limits.production_daily_ceiling ?? Number.POSITIVE_INFINITY,
        ),
        sharedDaily,
        perMinute: limits.production_per_minute ?? defaults.productionPerMinute,
      };
}
