import { DATABASE_PLANS, type DatabaseLimits } from '@postern/contracts/database-plans';
import { Refusal } from '@postern/contracts/refusal';

/** The limits of a plan by its name. @throws the refusal `invalid_input`, which lists the existing plans. */
export const limitsOfPlan = (plan: string): DatabaseLimits => {
  const limits = Object.hasOwn(DATABASE_PLANS, plan) ? DATABASE_PLANS[plan] : undefined;
  if (!limits) {
    const known = Object.keys(DATABASE_PLANS).join(', ');
    throw new Refusal('invalid_input', `plan: unknown plan; choose one of ${known}`);
  }
  return limits;
};
