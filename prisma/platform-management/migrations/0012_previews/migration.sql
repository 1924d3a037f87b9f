-- Previews: web services of pull and merge requests. A web service of an earlier release is no preview and has none.
ALTER TABLE "web_services"
    ADD COLUMN "previews" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "preview_of" UUID,
    ADD COLUMN "pull_request" INTEGER,
    ADD COLUMN "pull_request_url" TEXT;

CREATE INDEX "web_services_preview_of_idx" ON "web_services"("preview_of");

CREATE TABLE "pull_requests" (
    "web_service_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "is_open" BOOLEAN NOT NULL,
    "changed_at" TIMESTAMPTZ(3),
    "preview_id" UUID,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pull_requests_pkey" PRIMARY KEY ("web_service_id", "number")
);

CREATE UNIQUE INDEX "pull_requests_preview_id_key" ON "pull_requests"("preview_id");

ALTER TABLE "pull_requests" ADD CONSTRAINT "pull_requests_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;
