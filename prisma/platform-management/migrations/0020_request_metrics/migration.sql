-- Requests of web services; null where the runtime does not count them, and in earlier measurements.
ALTER TABLE "metric_samples" ADD COLUMN     "requests" DOUBLE PRECISION,
ADD COLUMN     "server_errors" DOUBLE PRECISION,
ADD COLUMN     "response_ms" DOUBLE PRECISION;

ALTER TABLE "metric_minutes" ADD COLUMN     "requests" DOUBLE PRECISION,
ADD COLUMN     "server_errors" DOUBLE PRECISION,
ADD COLUMN     "response_ms" DOUBLE PRECISION;
