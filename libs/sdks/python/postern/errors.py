"""The errors of this library; each is a PosternError."""

from typing import Optional


class PosternError(Exception):
    """The base class of all errors of this library."""


class ConnectionError(PosternError):
    """No response arrived: the connection failed, or the time limit passed."""


class WebhookVerificationError(PosternError):
    """The call was not signed by Postern with this secret, or is too old. Answer it with 401.

    `reason` is `missing_headers`, `timestamp_out_of_tolerance`, `wrong_signature` or `malformed_body`.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class ApiError(PosternError):
    """Postern answered with an error status. Subclasses tell the kinds of errors apart."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: Optional[str] = None,
        request_id: Optional[str] = None,
        retry_after_s: Optional[int] = None,
        email_id: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        #: From the header Error-Code, such as `recipient_not_verified`.
        self.code = code
        #: From the header X-Request-Id; quote it when you report a problem.
        self.request_id = request_id
        #: Seconds to wait before a retry, from the header Retry-After.
        self.retry_after_s = retry_after_s
        #: Id of a message whose outcome is unknown, from the header Email-Id.
        self.email_id = email_id


class InvalidRequestError(ApiError):
    """400, 413 or 415: the request is invalid, and will be when it is repeated."""


class AuthenticationError(ApiError):
    """401: the key is missing, wrong, expired or revoked."""


class PermissionError(ApiError):
    """403: the key does not allow the call, or the email service is disabled."""


class NotFoundError(ApiError):
    """404: the resource does not exist."""


class ConflictError(ApiError):
    """409: the request conflicts with another one, or a quota is reached."""


class RateLimitError(ApiError):
    """429: a limit is reached; `retry_after_s` tells when to try again."""


class ServerError(ApiError):
    """5xx: a temporary failure. With `email_id`, that message may have been sent; without, nothing was sent."""


_CLASSES = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    429: RateLimitError,
}


def class_of(status: int) -> type:
    """The class of the errors with a status."""
    return _CLASSES.get(status, ServerError if status >= 500 else ApiError)
