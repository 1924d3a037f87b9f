-- Targets for the number of instances.
ALTER TABLE "web_services" ADD COLUMN     "autoscaling" JSONB;
