-- What was reported to Git hosts about deployments, and the comment at the request of a preview.
CREATE TABLE "commit_statuses" (
    "deployment_id" UUID NOT NULL,
    "web_service_id" UUID NOT NULL,
    "state" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "error" TEXT,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "commit_statuses_pkey" PRIMARY KEY ("deployment_id")
);

CREATE INDEX "commit_statuses_web_service_id_changed_at_idx" ON "commit_statuses"("web_service_id", "changed_at");

ALTER TABLE "commit_statuses" ADD CONSTRAINT "commit_statuses_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "deploy_hooks" ADD COLUMN "git_host" TEXT;

ALTER TABLE "pull_requests" ADD COLUMN "comment_id" TEXT;

-- The reports of the last day are looked for every few seconds.
CREATE INDEX "deployments_created_at_idx" ON "deployments"("created_at");
