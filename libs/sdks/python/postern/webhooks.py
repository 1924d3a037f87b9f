"""Verifies the calls of webhooks."""

import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from .errors import PosternError, WebhookVerificationError

DEFAULT_TOLERANCE_S = 300


def verify_webhook(
    *,
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    tolerance_s: float = DEFAULT_TOLERANCE_S,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """Verifies the call of a webhook and returns its event.

    `body` is the raw body, exactly as it arrived. `secret` is the signing secret with its prefix `whsec_`, or several
    while you rotate it. `now` is the current time in seconds. Raises WebhookVerificationError.
    """
    timestamp = _header(headers, "x-service-timestamp")
    signature = _header(headers, "x-service-signature")
    if timestamp is None or signature is None:
        raise WebhookVerificationError(
            "missing_headers", "The headers X-Service-Timestamp and X-Service-Signature are missing."
        )
    clock = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,15}", timestamp) or abs(clock - int(timestamp)) > tolerance_s:
        raise WebhookVerificationError(
            "timestamp_out_of_tolerance",
            f"X-Service-Timestamp differs from the clock by more than {tolerance_s} seconds.",
        )
    if not isinstance(body, (bytes, bytearray, str)):
        raise PosternError("The body must be the raw bytes or text of the request, not a parsed object.")
    raw = body.encode("utf-8") if isinstance(body, str) else bytes(body)
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or "" in secrets:
        raise PosternError("The signing secret is empty.")
    signed = timestamp.encode("ascii") + b"." + raw
    expected = [hmac.new(one.encode("utf-8"), signed, hashlib.sha256).hexdigest().encode("ascii") for one in secrets]
    given = signature.encode("utf-8", "replace")
    # Every secret is compared, so that the time does not depend on which one matches.
    if not any([hmac.compare_digest(one, given) for one in expected]):
        raise WebhookVerificationError(
            "wrong_signature", "X-Service-Signature does not match the body and the secret."
        )
    try:
        return json.loads(raw.decode("utf-8"))
    except ValueError as error:
        raise WebhookVerificationError("malformed_body", "The body is not JSON.") from error


def _header(headers: Mapping[str, str], name: str) -> Optional[str]:
    for key, value in headers.items():
        # WSGI and Django write X-Service-Timestamp as HTTP_X_SERVICE_TIMESTAMP.
        plain = key.lower().replace("_", "-")
        if plain == name or plain == f"http-{name}":
            return value
    return None
