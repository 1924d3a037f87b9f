"""Carries out one call of the conformance tests: JSON from the standard input, its outcome to the standard output."""

import json
import sys

import postern

asked = json.load(sys.stdin)


def carried_out():
    call = asked["call"]
    if call == "verify":
        return postern.verify_webhook(
            body=asked["body"], headers=asked["headers"], secret=asked["secrets"], now=asked["now"]
        )
    client = postern.Postern(
        asked.get("key", "em_live_key"),
        base_url=asked["url"],
        **asked.get("options", {}),
    )
    key = asked.get("idempotency_key")
    if call == "send":
        return client.emails.send(asked["email"], idempotency_key=key)
    if call == "batch":
        return client.emails.send_batch(asked["emails"], idempotency_key=key)
    if call == "get":
        return client.emails.get(asked["id"])
    if call == "attach":
        return client.emails.send({**asked["email"], "attachments": [postern.attachment(asked["path"])]})
    return client.scheduled_emails.create(asked["send_at"], asked["email"], idempotency_key=key)


try:
    outcome = {"reply": carried_out()}
except postern.ApiError as error:
    outcome = {
        "error": "api",
        "message": str(error),
        "status": error.status,
        "code": error.code,
        "request_id": error.request_id,
        "retry_after": error.retry_after_s,
        "email_id": error.email_id,
    }
except postern.WebhookVerificationError as error:
    outcome = {"error": "webhook", "reason": error.reason}
except postern.ConnectionError as error:
    outcome = {"error": "connection"}
except postern.PosternError as error:
    outcome = {"error": "usage", "message": str(error)}
json.dump(outcome, sys.stdout)
