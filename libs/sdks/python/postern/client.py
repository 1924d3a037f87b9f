"""The client of one Postern."""

import base64
import json
import mimetypes
import os
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from http.client import HTTPException
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from .errors import ApiError, ConnectionError, PosternError, class_of
from .webhooks import verify_webhook

Email = Mapping[str, Any]
Record = Dict[str, Any]

_LISTS = ("to", "cc", "bcc", "reply_to")
_FIRST_DELAY_S = 1.0
_JITTER = 0.2


def attachment(
    path: Optional[Union[str, "os.PathLike[str]"]] = None,
    *,
    filename: Optional[str] = None,
    content: Optional[bytes] = None,
    content_type: Optional[str] = None,
    content_id: Optional[str] = None,
) -> Dict[str, str]:
    """An entry of `attachments`: a file, or `content` with a `filename`. `content_id` makes an inline image (`cid:`)."""
    if path is not None:
        with open(path, "rb") as file:
            content = file.read()
        filename = filename or os.path.basename(os.fspath(path))
    if content is None or not filename:
        raise PosternError("An attachment needs a path, or a filename and its content.")
    kind = content_type or mimetypes.guess_type(filename)[0]
    entry = {"filename": filename, "content": base64.b64encode(content).decode("ascii")}
    if kind:
        entry["content_type"] = kind
    if content_id:
        entry["content_id"] = content_id
    return entry


class Postern:
    """A client with the key of an email service (`em_live_…`). It may be shared by threads.

    `timeout_s` limits one attempt. A request is repeated at most `max_retries` times, and a Retry-After of more than
    `max_retry_after_s` seconds ends the attempts.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str,
        timeout_s: float = 60,
        max_retries: int = 4,
        max_retry_after_s: float = 60,
    ) -> None:
        if not api_key:
            raise PosternError("The key is missing. Is the environment variable set, such as POSTERN_EMAIL_KEY?")
        if not re.match(r"https?://[^\s/]", base_url or "", re.IGNORECASE):
            raise PosternError(f"base_url must be a URL such as https://postern.example.com, not {base_url!r}.")
        client = _Client(api_key, base_url.rstrip("/"), timeout_s, max_retries, max_retry_after_s)
        self.emails = Emails(client)
        self.scheduled_emails = ScheduledEmails(client)

    verify_webhook = staticmethod(verify_webhook)


class Emails:
    """Sends messages, and gets their records."""

    def __init__(self, client: "_Client") -> None:
        self._client = client

    def send(self, email: Email, *, idempotency_key: Optional[str] = None) -> Record:
        """Sends one message; `to`, `cc`, `bcc` and `reply_to` may be one address. Retries never send it twice."""
        return self._client.call("POST", "/emails", _body(email), idempotency_key)

    def send_batch(self, emails: Sequence[Email], *, idempotency_key: Optional[str] = None) -> Sequence[Record]:
        """Sends 1 to 100 messages; returns the outcome of each, in order."""
        return self._client.call("POST", "/emails/batch", [_body(email) for email in emails], idempotency_key)

    def get(self, id: str) -> Record:
        """The record of a message of this email service."""
        return self._client.call("GET", _path("/emails", id))


class ScheduledEmails:
    """Messages that are sent at a later time: an ISO 8601 text with an offset, or a datetime with a time zone."""

    def __init__(self, client: "_Client") -> None:
        self._client = client

    def create(self, send_at: Any, email: Email, *, idempotency_key: Optional[str] = None) -> Record:
        """Schedules a message for a time between 1 minute and 30 days from now."""
        body = {"send_at": _time(send_at), "email": _body(email)}
        return self._client.call("POST", "/scheduled-emails", body, idempotency_key)

    def list(self, *, state: Optional[str] = None, limit: Optional[int] = None, offset: Optional[int] = None) -> Record:
        """A page of the scheduled messages, the latest times first; at most 100, 20 by default."""
        given = {"state": state, "limit": limit, "offset": offset}
        query = urllib.parse.urlencode({name: value for name, value in given.items() if value is not None})
        return self._client.call("GET", "/scheduled-emails" + (f"?{query}" if query else ""))

    def get(self, id: str) -> Record:
        return self._client.call("GET", _path("/scheduled-emails", id))

    def reschedule(self, id: str, send_at: Any, *, idempotency_key: Optional[str] = None) -> Record:
        """Changes the time of a message that waits."""
        body = {"send_at": _time(send_at)}
        return self._client.call("PATCH", _path("/scheduled-emails", id), body, idempotency_key)

    def cancel(self, id: str, *, idempotency_key: Optional[str] = None) -> Record:
        """Cancels a message that waits."""
        return self._client.call("DELETE", _path("/scheduled-emails", id), None, idempotency_key)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another address, or turn a POST into a GET."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Client:
    def __init__(
        self, api_key: str, base_url: str, timeout_s: float, max_retries: int, max_retry_after_s: float
    ) -> None:
        self._headers = {"api-key": api_key, "accept": "application/json", "user-agent": "postern-python/0.1.0"}
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._max_retry_after_s = max_retry_after_s
        self._opener = urllib.request.build_opener(_NoRedirect)

    def call(self, method: str, path: str, body: Any = None, idempotency_key: Optional[str] = None) -> Any:
        headers = dict(self._headers)
        if method != "GET":
            # All attempts use one key, under which the request is carried out once.
            headers["idempotency-key"] = idempotency_key or str(uuid.uuid4())
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body).encode("utf-8")
        lost = False
        retries = 0
        while True:
            try:
                return self._attempt(method, path, data, headers)
            except (ApiError, ConnectionError) as error:
                delay_s = self._delay_before_retry(error, retries, lost)
                if delay_s is None:
                    raise
                lost = lost or not isinstance(error, ApiError) or error.status >= 500
            retries += 1
            time.sleep(delay_s)

    def _attempt(self, method: str, path: str, data: Optional[bytes], headers: Mapping[str, str]) -> Any:
        request = urllib.request.Request(self._base_url + path, data=data, headers=dict(headers), method=method)
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as response:
            with response:
                raise _error_of(response.code, response.headers, response.read()) from None
        except (OSError, HTTPException, ValueError) as error:
            raise ConnectionError(f"{method} {path} got no response: {error}") from error

    def _delay_before_retry(self, error: PosternError, retries: int, lost: bool) -> Optional[float]:
        retry_after_s = error.retry_after_s if isinstance(error, ApiError) else None
        if retries >= self._max_retries or not _may_repeat(error, lost):
            return None
        if (retry_after_s or 0) > self._max_retry_after_s:
            return None
        delay_s = _FIRST_DELAY_S * 2**retries * (1 - _JITTER + 2 * _JITTER * random.random())
        return max(delay_s, retry_after_s or 0)


def _may_repeat(error: PosternError, lost: bool) -> bool:
    if not isinstance(error, ApiError):
        return True
    if error.status == 409:
        # After a lost connection, the first attempt may still be in progress under the same key.
        return lost and (error.code == "idempotency_key_in_flight" or error.retry_after_s is not None)
    return error.status == 429 or error.status >= 500


def _error_of(status: int, headers: Any, raw: bytes) -> ApiError:
    retry_after = headers.get("retry-after") or ""
    return class_of(status)(
        _message_in(raw) or f"Postern answered with status {status}.",
        status=status,
        code=headers.get("error-code"),
        request_id=headers.get("x-request-id"),
        retry_after_s=int(retry_after) if re.fullmatch(r"[0-9]{1,9}", retry_after) else None,
        email_id=headers.get("email-id"),
    )


def _message_in(raw: bytes) -> Optional[str]:
    try:
        body = json.loads(raw)
    except ValueError:
        return None
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, str) else None


def _body(email: Email) -> Dict[str, Any]:
    return {
        name: [value] if name in _LISTS and isinstance(value, str) else value
        for name, value in email.items()
        if value is not None
    }


def _path(collection: str, id: str) -> str:
    if not id or id in (".", ".."):
        raise PosternError("The id is empty or consists of dots.")
    return f"{collection}/{urllib.parse.quote(id, safe='')}"


def _time(value: Any) -> str:
    if isinstance(value, str):
        return value
    if getattr(value, "tzinfo", None) is None:
        raise PosternError("The time needs a time zone: datetime.now(timezone.utc), for example.")
    return value.isoformat()
